// A process that sends one request after the other and asks for the health of the daemon all the time, so that the
// daemon does nothing but answer. It gets `{ url, method, path, token, body }`, or `form` instead of the body, with `more`
// headers, and after `go` it replies with the status.
import { Agent, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const BOUNDARY = 'largest-form-3d'
const agent = new Agent({ keepAlive: true })
/** Where the daemon is; empty before the first request. */
let baseUrl = ''
let next
const probes = { answered: 0, failed: 0 }

process.on('disconnect', () => process.exit())
process.on('message', (message) => {
  if (message === 'go') {
    void sendNext()
    return
  }
  next = message
  process.send('ready')
})

async function sendNext() {
  const { url, method, path, token, form, more = {} } = next
  baseUrl = url
  const before = probes.answered
  const body = form === undefined ? next.body : buildForm(form)
  const type = form === undefined ? 'application/json' : `multipart/form-data; boundary=${BOUNDARY}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': type, ...more }
  const status = await exchange(url + path, { method, headers }, body)
  // At least one question must have been asked meanwhile or afterwards.
  while (probes.answered === before && probes.failed === 0) await sleep(1)
  process.send({ status, ...probes })
}

for (;;) {
  if (baseUrl === '') await sleep(1)
  else if ((await exchange(`${baseUrl}/healthz`, {})) === 200) probes.answered += 1
  else probes.failed += 1
  await sleep(1)
}

/** A form with one file of this many bytes. */
function buildForm({ part, begin, bytes }) {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${part}"; filename="a.zip"\r\ncontent-type: application/zip\r\n\r\n`
  const file = Buffer.alloc(bytes, 'a')
  file.write(begin)
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

function exchange(url, options, body) {
  return new Promise((resolve) => {
    const request = send(url, { agent, ...options }, (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode))
      reply.on('error', () => resolve(0))
    })
    // The daemon may have closed an idle connection in the moment in which it was used again.
    request.on('error', () => resolve(request.reusedSocket ? exchange(url, options, body) : 0))
    request.end(body)
  })
}
