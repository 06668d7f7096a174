"""moto's DynamoDB on a port of this machine, one request after another.

Its own `moto_server` answers each request in a thread, and a transaction there is not isolated: another's write comes
between its parts, or is lost when it takes itself back. DynamoDB's transactions are, and our store leans on it.
"""

import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple

moto = DomainDispatcherApplication(create_backend_app)
turn = threading.Lock()


def one_at_a_time(request, start_response):
    with turn:
        return moto(request, start_response)


run_simple("127.0.0.1", int(sys.argv[1]), one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
