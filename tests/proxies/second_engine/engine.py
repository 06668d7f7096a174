"""Runs moto's DynamoDB on a port of this machine. It answers one request after another.

moto's own `moto_server` answers each request in a thread, and its transactions are not isolated. Another write can happen
between the parts of a transaction, or can be lost when the transaction is rolled back. The store needs isolated
transactions, as in DynamoDB.
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
