"""No tools and no agent: one request for each text, and the label is read from the answer."""

import anthropic

LABELS = ["bug", "feature", "question"]


def classify(client, texts):
    labels = []
    for text in texts:
        response = client.messages.create(
            model="claude-haiku-5",
            max_tokens=10,
            messages=[{"role": "user", "content": f"Label as one of {LABELS}:\n{text}"}],
        )
        answer = response.content[0].text.strip().lower()
        for label in LABELS:
            if label in answer:
                labels.append(label)
                break
        else:
            labels.append("unknown")
    return labels


if __name__ == "__main__":
    print(classify(anthropic.Anthropic(), ["It crashes."]))
