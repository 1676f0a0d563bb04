"""What happened in a run: events, the document that stores them, and the observer that collects them."""
