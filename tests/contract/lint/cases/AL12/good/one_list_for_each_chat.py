"""A Telegram bot; one history for each chat."""

from collections import defaultdict

from anthropic import AsyncAnthropic
from telegram.ext import Application, MessageHandler, filters

client = AsyncAnthropic()
histories = defaultdict(list)


class Bot:
    def __init__(self, tools, handlers, max_turns=6):
        self.tools, self.handlers, self.max_turns = tools, handlers, max_turns

    async def on_message(self, update, context):
        history = histories[update.effective_chat.id]
        history.append({"role": "user", "content": update.message.text})
        for _ in range(self.max_turns):
            response = await client.messages.create(
                model="claude-haiku-5", max_tokens=800, tools=self.tools, messages=history
            )
            history.append({"role": "assistant", "content": response.content})
            text = "".join(b.text for b in response.content if b.type == "text")
            if text:
                await update.message.reply_text(text)
            if response.stop_reason == "max_tokens":
                await update.message.reply_text("(cut off; write 'go on' for the rest)")
            if response.stop_reason != "tool_use":
                return
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    await context.bot.send_chat_action(update.effective_chat.id, "typing")
                    results.append(
                        {"type": "tool_result", "tool_use_id": block.id, "content": await self.handlers[block.name](**block.input)}
                    )
            history.append({"role": "user", "content": results})
        await update.message.reply_text("I gave up after too many steps.")


def build(token, bot):
    application = Application.builder().token(token).build()
    application.add_handler(MessageHandler(filters.TEXT, bot.on_message))
    return application
