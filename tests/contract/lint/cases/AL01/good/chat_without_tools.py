"""A chat with a person, who ends it; no tools, no agent."""


def chat(client):
    messages = []
    while True:
        said = input("> ")
        if said == "quit":
            return
        messages.append({"role": "user", "content": said})
        response = client.messages.create(model="m", max_tokens=1000, messages=messages)
        text = response.content[0].text
        if "goodbye" in text.lower():
            break
        print(text)
        messages.append({"role": "assistant", "content": text})
