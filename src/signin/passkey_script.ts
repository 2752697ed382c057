/**
 * The only script of our pages. It asks the browser for a passkey, puts what it says into the form, and sends that. The form names the
 * question in `data-options`, and in `data-makes` whether a new passkey is wanted.
 */
export const passkeyScript = `
const form = document.querySelector("form[data-options]");
const wrong = document.getElementById("wrong");
const sentences = {
  NotAllowedError: "Nothing happened: the question was closed, or waited too long. Please try again.",
  InvalidStateError: "This device has a passkey for your account already.",
  SecurityError: "Passkeys work only at the address that this service was set up with, and over https.",
};
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  wrong.textContent = "";
  try {
    const options = JSON.parse(form.dataset.options);
    const key = window.PublicKeyCredential;
    if (key === undefined || key.parseRequestOptionsFromJSON === undefined)
      throw new Error("This browser knows no passkeys. A newer one does.");
    const credential = form.dataset.makes === "true"
      ? await navigator.credentials.create({ publicKey: key.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: key.parseRequestOptionsFromJSON(options) });
    form.elements.answer.value = JSON.stringify(credential);
    form.submit();
  } catch (error) {
    wrong.textContent = sentences[error.name] ?? error.message;
  }
});
`;
