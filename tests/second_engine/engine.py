"""moto's DynamoDB on a port of this machine, one request after another.

moto's `moto_server` answers each request in a thread, and its transactions are not isolated: another write can come between
the parts of a transaction, or be lost when it is rolled back. DynamoDB isolates transactions, and the store relies on that.
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
