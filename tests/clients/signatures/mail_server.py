"""A mail server with aiosmtpd on loopback. It prints its port, and then each message as a line of JSON."""
import asyncio
import email
import email.policy
import json
import sys

from aiosmtpd.smtp import SMTP


class Printer:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.strict)
        print(json.dumps({"to": envelope.rcpt_tos, "from": envelope.mail_from, "text": message.get_content(),
                          "headers": {name.lower(): str(value) for name, value in message.items()}}), flush=True)
        return "250 accepted"


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Printer(), hostname="mail.test"), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
