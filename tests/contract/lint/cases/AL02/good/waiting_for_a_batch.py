"""The batch API: a loop that waits, and one that reads."""

import time

import anthropic


def wait(client: anthropic.Anthropic, requests):
    batch = client.messages.batches.create(requests=requests)
    while True:
        batch = client.messages.batches.retrieve(batch.id)
        if batch.processing_status == "ended":
            break
        time.sleep(60)
    answers = {}
    for result in client.messages.batches.results(batch.id):
        if result.result.type == "succeeded":
            answers[result.custom_id] = result.result.message.content[0].text
    return answers
