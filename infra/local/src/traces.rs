//! Sends traces to a collector of the operator: OTLP over HTTP, in JSON. The variables are those of the OpenTelemetry
//! specification. Only a binary that was built with the feature `otlp` contains this
//! (`shared/docs/decisions/0015-traces-only-in-the-local-binary.md`).

/// Without this variable, no traces are sent.
pub(crate) const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

#[cfg(feature = "otlp")]
mod otlp {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
    use opentelemetry_sdk::Resource;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing::Subscriber;
    use tracing_subscriber::Layer;
    use tracing_subscriber::filter::LevelFilter;
    use tracing_subscriber::registry::LookupSpan;

    /// Sends spans in the background. When it is dropped, the spans that still wait are sent.
    pub(crate) struct Traces(SdkTracerProvider);

    impl Traces {
        /// # Errors
        /// The endpoint or another variable of OpenTelemetry is invalid.
        pub(crate) fn start() -> Result<Self, String> {
            let client =
                reqwest::blocking::Client::builder().tls_backend_preconfigured(registry::fetch::tls());
            let client = client.build().map_err(|error| error.to_string())?;
            let exporter = SpanExporter::builder().with_http().with_http_client(client);
            let exporter =
                exporter.with_protocol(Protocol::HttpJson).build().map_err(|error| error.to_string())?;
            let name = crate::variable("OTEL_SERVICE_NAME").unwrap_or_else(|| "registry".to_owned());
            let resource = Resource::builder().with_service_name(name).build();
            let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource);
            Ok(Self(provider.build()))
        }

        /// Requests and jobs are spans, and their log lines of the level `info` are events of the spans.
        pub(crate) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> + use<S> {
            let tracer = self.0.tracer("registry");
            tracing_opentelemetry::layer().with_tracer(tracer).with_filter(LevelFilter::INFO)
        }
    }

    impl Drop for Traces {
        fn drop(&mut self) {
            if let Err(error) = self.0.shutdown() {
                tracing::warn!(%error, "the last traces were not sent");
            }
        }
    }
}

#[cfg(not(feature = "otlp"))]
mod otlp {
    use tracing_subscriber::layer::Identity;

    pub(crate) struct Traces;

    impl Traces {
        pub(crate) fn start() -> Result<Self, String> {
            Err(format!(
                "this binary cannot send traces; remove {}, or build it with `--features otlp`",
                super::ENDPOINT
            ))
        }

        #[expect(clippy::unused_self, reason = "the same form as with the feature")]
        pub(crate) fn layer(&self) -> Identity {
            Identity::new()
        }
    }
}

pub(crate) use otlp::Traces;
