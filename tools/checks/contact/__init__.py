"""What every contact model is asked. The folders of the contact models call these with their own figures."""
