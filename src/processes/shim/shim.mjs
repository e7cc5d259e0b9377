// Scripts of skills call this program to act on a phone. Each run gets a copy of it, so it imports nothing of ours. It
// calls the daemon with a token that is valid for this run only.
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'

const run = JSON.parse(readFileSync(new URL('./run.json', import.meta.url), 'utf8'))
const PAYLOAD_FLAGS = ['--payload', '--execution', '--input', '--file']

/** Flags without a value. */
const SWITCHES = ['--json', '--validate-only', '--validate', '--dry-run', '--verbose', '--strict']

/** Where the payload of `exec <payload>` is; -1 if it is given by a flag or the command is another one. */
function findPlainPayload(args) {
  const plain = []
  for (let at = 0; at < args.length; at += 1) {
    const isFlag = args[at].startsWith('--')
    if (!isFlag) plain.push(at)
    else if (!args[at].includes('=') && !SWITCHES.includes(args[at])) at += 1
  }
  return ['exec', 'execute'].includes(args[plain[0]]) ? (plain[1] ?? -1) : -1
}

/** Replaces payload files by their contents. They are read here, with the rights of the script. */
function readPayloads(args) {
  const plain = findPlainPayload(args)
  return args.map((arg, at) => {
    if (at === plain) return readPayload(arg)
    const flag = PAYLOAD_FLAGS.find((name) => arg.startsWith(`${name}=`))
    if (flag !== undefined) return `${flag}=${readPayload(arg.slice(flag.length + 1))}`
    return PAYLOAD_FLAGS.includes(args[at - 1]) ? readPayload(arg) : arg
  })
}

function readPayload(source) {
  if (source.trimStart().startsWith('{')) return source
  return readFileSync(source === '-' ? 0 : source, 'utf8')
}

function callDaemon(argv) {
  const body = JSON.stringify({ argv })
  return new Promise((resolve, reject) => {
    const call = request(
      `${run.url}/api/skill-runs/${run.run_id}/call`,
      {
        method: 'POST',
        // A contained script has no network, but a socket that leads to the daemon.
        ...(run.socket === undefined ? {} : { socketPath: run.socket }),
        headers: {
          authorization: `Bearer ${run.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          // What a script does belongs to the trace of its run.
          ...run.trace,
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
    call.once('error', reject)
    call.end(body)
  })
}

function fail(code, message) {
  process.stdout.write(`${JSON.stringify({ code, message })}\n`)
  process.exitCode = 1
}

try {
  const { status, body } = await callDaemon(readPayloads(process.argv.slice(2)))
  if (status === 200) {
    for (const { path, base64 } of body.files) writeFileSync(path, Buffer.from(base64, 'base64'))
    process.stdout.write(body.stdout)
    process.stderr.write(body.stderr)
    process.exitCode = body.exit_code
  } else fail(body.error?.code ?? 'INTERNAL_ERROR', body.error?.message ?? `HTTP ${status}`)
} catch (error) {
  fail(error.code === 'ENOENT' ? 'MISSING_ARGUMENT' : 'DAEMON_PROXY_ERROR', error.message)
}
