// The service worker: keeps the page's files, so that it needs no network, and adds the headers without which no memory is
// shared between the page and its workers.

const VERSION = "{version}";
const FILES = {files};

addEventListener("install", event => event.waitUntil(caches.open(VERSION).then(cache => cache.addAll(FILES)).then(() => skipWaiting())));

addEventListener("activate", event => event.waitUntil(caches.keys()
  .then(names => Promise.all(names.filter(name => name !== VERSION).map(name => caches.delete(name))))
  .then(() => clients.claim())));

addEventListener("fetch", event => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === location.origin) event.respondWith(answer(event.request));
});

async function answer(request) {
  const found = (await caches.match(request, { ignoreSearch: true })) ?? (await fetch(request));
  const headers = new Headers(found.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return new Response(found.body, { status: found.status, statusText: found.statusText, headers });
}
