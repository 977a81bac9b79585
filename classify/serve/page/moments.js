// Moments: an image reconstructed from its moments up to an order chosen with a slider.
import {text, number, onLanguage} from "./text.js";
import {send, query, byId, element, Refused} from "./api.js";

const kSide = 256;  // of the image sent; the server reduces images to the same size
const families = ["zernike", "pseudo-zernike", "bessel-fourier", "fourier-mellin", "chebyshev-fourier",
                  "exponent-fourier", "pcet", "pct", "pst", "legendre", "gegenbauer:1", "jacobi:1:1",
                  "tchebichef", "krawtchouk"];
let image = null, reply = null, running = false, waiting = false, failure = null;

// Only the newest position of the slider is requested.
const ask = async () => {
  if (!image) return;
  if (running) {
    waiting = true;
    return;
  }
  running = true;
  do {
    waiting = false;
    const values = {family: byId("family").value, order: byId("order").value};
    try {
      reply = await send("moments/reconstruct?" + query(values), image);
      failure = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      failure = error;
    }
    draw();
  } while (waiting);
  running = false;
};

const decibels = (value) => value === null ? "∞" : number(value, 2) + " dB";
const draw = () => {
  byId("order-value").textContent = byId("order").value;
  byId("moment-status").textContent = failure ? failure.sentence : "";
  byId("moment-status").classList.toggle("wrong", failure !== null);
  byId("moment-result").hidden = !reply;
  if (!reply) return;
  byId("moment-original").src = reply.original;
  byId("moment-original").alt = text("moments.original");
  byId("moment-image").src = reply.image;
  byId("moment-image").alt = text("moments.again", reply);
  byId("moment-figures").textContent = text("moments.figures", {
    moments: number(reply.moments), order: reply.order, whole: decibels(reply.psnr_whole),
    disk: decibels(reply.psnr_disk)});
};

// A drawn example: rings and bars, which low orders blur and high orders restore.
const example = () => new Promise((done) => {
  const canvas = element("canvas", {width: kSide, height: kSide}), pen = canvas.getContext("2d");
  const styles = getComputedStyle(document.documentElement);
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, kSide, kSide);
  pen.strokeStyle = pen.fillStyle = "#202020";
  for (let radius = 20; radius <= 100; radius += 20) {
    pen.lineWidth = radius / 10;
    pen.beginPath();
    pen.arc(kSide / 2, kSide / 2, radius, radius / 20, radius / 20 + 5);
    pen.stroke();
  }
  pen.font = "700 88px " + styles.getPropertyValue("--serif");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText("Z", kSide / 2, kSide / 2);
  canvas.toBlob(done, "image/png");
});

const names = () => byId("family").replaceChildren(...families.map((family) =>
    element("option", {value: family, textContent: text("family." + family.split(":")[0]),
                       selected: family === (byId("family").value || families[0])})));
const take = (file) => {
  image = file;
  ask();
};

byId("moment-file").addEventListener("change", (event) => {
  if (event.target.files.length > 0) take(event.target.files[0]);
  event.target.value = "";
});
byId("moment-example").addEventListener("click", async () => take(await example()));
byId("family").addEventListener("change", ask);
byId("order").addEventListener("input", () => {
  byId("order-value").textContent = byId("order").value;
  ask();
});
addEventListener("drop", (event) => {
  if (!byId("moments").hidden && event.dataTransfer.files.length > 0)
    take(event.dataTransfer.files[0]);
});
onLanguage(() => {
  names();
  draw();
});
