"""Two models talk; a bounded number of exchanges."""

import anthropic


def talk(client: anthropic.Anthropic, topic, exchanges=6):
    ana = [{"role": "user", "content": topic}]
    ben = []
    for _ in range(exchanges):
        first = client.messages.create(model="m", max_tokens=300, system="You are Ana.", messages=ana)
        said = first.content[0].text
        print("Ana:", said)
        ana.append({"role": "assistant", "content": said})
        ben.append({"role": "user", "content": said})
        second = client.messages.create(model="m", max_tokens=300, system="You are Ben.", messages=ben)
        replied = second.content[0].text
        print("Ben:", replied)
        ben.append({"role": "assistant", "content": replied})
        ana.append({"role": "user", "content": replied})
    return ana, ben
