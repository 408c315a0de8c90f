"""Other people's interfaces over Recuerdo; each module needs the framework that it is named after."""
