// The program scripts of skills call to act on a phone. It stands for itself: a run gets a copy of it, and it asks
// the daemon with a token that is good for this one run.
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'

const run = JSON.parse(readFileSync(new URL('./run.json', import.meta.url), 'utf8'))
const payloadFlags = ['--payload', '--execution', '--input', '--file']

/** Files are read here, with the rights of the script and not of the daemon. */
function withContents(words) {
  return words.map((word, at) => {
    const flag = payloadFlags.find((name) => word.startsWith(`${name}=`))
    if (flag !== undefined) return `${flag}=${contentOf(word.slice(flag.length + 1))}`
    return payloadFlags.includes(words[at - 1]) ? contentOf(word) : word
  })
}

function contentOf(source) {
  if (source.trimStart().startsWith('{')) return source
  return readFileSync(source === '-' ? 0 : source, 'utf8')
}

function ask(argv) {
  const body = JSON.stringify({ argv })
  return new Promise((resolve, reject) => {
    const asking = request(
      `${run.url}/api/skills/runs/${run.run_id}/call`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${run.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (reply) => {
        const pieces = []
        reply.on('data', (piece) => pieces.push(piece))
        reply.once('error', reject)
        reply.once('end', () => {
          resolve({ status: reply.statusCode, body: JSON.parse(Buffer.concat(pieces).toString()) })
        })
      },
    )
    asking.once('error', reject)
    asking.end(body)
  })
}

function fail(code, message) {
  process.stdout.write(`${JSON.stringify({ code, message })}\n`)
  process.exitCode = 1
}

try {
  const { status, body } = await ask(withContents(process.argv.slice(2)))
  if (status === 200) {
    for (const { path, base64 } of body.files) writeFileSync(path, Buffer.from(base64, 'base64'))
    process.stdout.write(body.stdout)
    process.stderr.write(body.stderr)
    process.exitCode = body.exit_code
  } else fail(body.error?.code ?? 'INTERNAL_ERROR', body.error?.message ?? `HTTP ${status}`)
} catch (error) {
  fail(error.code === 'ENOENT' ? 'MISSING_ARGUMENT' : 'DAEMON_PROXY_ERROR', error.message)
}
