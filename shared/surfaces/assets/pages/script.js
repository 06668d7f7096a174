// Makes the pages quicker to use; every page works without it.
"use strict";

// Search while typing: fetches the page for the same words and replaces the marked parts of this page.
function searchAsTyped(form) {
  const parts = form.dataset.search.split(" ");
  let timer, request, shown = location.search;
  const address = () => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value && !(name === "kind" && value === "all")) query.append(name, value);
    }
    const text = query.toString();
    return form.getAttribute("action") + (text && "?" + text);
  };
  const find = async (remember) => {
    const url = address();
    request?.abort();
    request = new AbortController();
    const busy = document.getElementById(parts.at(-1));
    busy.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, { signal: request.signal, headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok || !page.getElementById(parts[0])) return location.assign(url);
      for (const part of parts) {
        document.getElementById(part).replaceChildren(...page.getElementById(part).childNodes);
      }
      history[remember](null, "", url);
      shown = location.search;
      busy.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name !== "AbortError") location.assign(url);
    }
  };
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    const isTyped = event.target.type === "search";
    timer = setTimeout(find, isTyped ? 200 : 0, isTyped ? "replaceState" : "pushState");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    find("pushState");
  });
  // Reloads on Back to another search, not on a jump within the page.
  addEventListener("popstate", () => location.search !== shown && location.reload());
}

document.querySelectorAll("form[data-search]").forEach(searchAsTyped);

// Publishes without leaving the page, and shows progress until the listing is Live, gated or needs a fix.
const STAGES = ["Listed", "Handshake", "Live"];

function element(name, text, attributes) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  return Object.assign(made, attributes);
}

// Isolates text of publishers, whatever its writing direction.
function quoted(name, text) {
  const made = element(name);
  made.append(element("bdi", text));
  return made;
}

function showProgress(place, reached, message, rest = [], current = "now") {
  const steps = element("ol", "", { className: "steps" });
  STAGES.forEach((label, index) => {
    const state = index < reached ? "done" : index === reached ? current : "open";
    const step = element("li", label, { className: state });
    const words = { done: " (done)", now: " (under way)", failed: " (failed)", open: "" };
    step.append(element("span", words[state], { className: "unseen" }));
    steps.append(step);
  });
  place.replaceChildren(steps, element("p", message), ...rest);
}

async function fetchJson(url, init) {
  const answer = await fetch(url, { ...init, headers: { accept: "application/json", ...init?.headers } });
  return { ok: answer.ok, body: await answer.json() };
}

function listingLink(id, text) {
  const line = element("p");
  line.append(element("a", text, { className: "button", href: "/list/" + encodeURIComponent(id) }));
  return line;
}

function reasonsOf(status) {
  const list = element("ul", "", { className: "reasons" });
  for (const { reason, seen, fix } of status.reasons ?? []) {
    const item = quoted("li", reason);
    if (seen) item.append(": ", element("bdi", seen));
    item.append(element("br"), element("strong", "How to fix: "), element("bdi", fix));
    list.append(item);
  }
  return list;
}

function command(text) {
  const block = element("pre");
  block.append(element("code", text));
  if (navigator.clipboard) copyButton(block);
  return block;
}

async function watch(id, place, wait) {
  for (let looks = 0; looks < 150; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
    const { ok, body } = await fetchJson("/api/listings/status?id=" + encodeURIComponent(id));
    if (!ok) return showProgress(place, 1, body.detail, [], "failed");
    if (body.lane === "active") {
      const rest = [listingLink(id, "Open its page"), element("p", "A badge for your README:"), command(body.badge_markdown)];
      return showProgress(place, 3, "It is Live.", rest);
    }
    if (body.lane === "gated") {
      return showProgress(place, 2, body.lane_reason, [listingLink(id, "Open its page")], "open");
    }
    if (body.lane !== "queued") {
      const rest = [reasonsOf(body), listingLink(id, "Open its page")];
      const failed = body.probe?.handshake === "ok" ? 2 : 1;
      return showProgress(place, failed, body.lane_reason, rest, "failed");
    }
    if (body.probe) {
      const at = new Date(body.retry_at);
      const again = at > Date.now() ? " The next probe is at " + at.toLocaleString() + "." : "";
      showProgress(place, 1, body.lane_reason + again, [reasonsOf(body), listingLink(id, "Open its page")]);
      wait = 10;
    }
  }
  showProgress(place, 1, "Still waiting for the handshake.", [listingLink(id, "Open its page")]);
}

function publishInPlace(form) {
  const place = document.getElementById(form.dataset.publish);
  const field = form.elements.url;
  const button = form.querySelector("button");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    document.getElementById("refusal")?.remove();
    field.removeAttribute("aria-invalid");
    button.disabled = true;
    showProgress(place, 0, "Sending.");
    try {
      const sent = { method: "POST", headers: { "content-type": "application/json" } };
      const { ok, body } = await fetchJson(form.action, { ...sent, body: JSON.stringify({ url: field.value.trim() }) });
      if (ok) {
        showProgress(place, 1, body.message, [listingLink(body.listing_id, "Open its page")]);
        await watch(body.listing_id, place, Math.min(body.poll.interval_s, 10));
      } else {
        field.setAttribute("aria-invalid", "true");
        place.replaceChildren(Object.assign(quoted("p", body.detail.replace(/^`url`: /, "")), { className: "note bad" }));
        field.focus();
      }
    } catch {
      place.replaceChildren(element("p", "Could not reach the registry. Try again in a moment.", { className: "note bad" }));
    }
    button.disabled = false;
  });
}

document.querySelectorAll("form[data-publish]").forEach(publishInPlace);

// Adds a copy button to each command.
function copyButton(block) {
  const button = element("button", "Copy", { type: "button", className: "copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}

if (navigator.clipboard) document.querySelectorAll("pre").forEach(copyButton);
