import time


def may_pass(error):
    return getattr(error, "status_code", None) in (408, 409, 429, 500, 503, 529)


def ask(client, request, tries=5):
    done = 0
    while True:
        try:
            return client.messages.create(**request)
        except Exception as error:
            if not may_pass(error):
                raise
            if done >= tries:
                raise
            done += 1
            time.sleep(min(30, 2**done))
