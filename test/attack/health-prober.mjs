// A process that asks a daemon for its health again and again, so that no work of the attacker delays the measurement.
// Its argument is the interval in milliseconds. It gets `{ url, pid }` for each daemon and `{ report: true }` at the end.
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isWaitingForDisk, readSchedulerTimes } from './scheduler-times.mjs'

const INTERVAL_MS = Number(process.argv[2])
const SAMPLE_MS = INTERVAL_MS / 2
const TIMEOUT_MS = 30_000
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const found = { wall_ms: [], own_ms: [], unanswered: 0, control_late_ms: [], disk_waits: [] }
let target
let diskWait
let disk_ms = 0

process.on('message', (message) => {
  if (message.report === true) process.send(found, () => process.exit())
  else target = message.url === undefined ? undefined : message
})
process.on('disconnect', () => process.exit())

setInterval(watchDisk, SAMPLE_MS)

for (;;) {
  const before = performance.now()
  await sleep(INTERVAL_MS)
  // How late a timer of an idle process is: the load of the machine alone.
  found.control_late_ms.push(performance.now() - before - INTERVAL_MS)
  if (target !== undefined) await probe(target)
}

/** Notes when the daemon waits for the disk: it commits in its main thread, and a commit is as slow as the disk. */
function watchDisk() {
  const now = Date.now()
  if (target === undefined || !isWaitingForDisk(target.pid)) {
    diskWait = undefined
    return
  }
  if (diskWait === undefined) found.disk_waits.push((diskWait = { from: now, to: now }))
  disk_ms += now - diskWait.to
  diskWait.to = now
}

async function probe({ url, pid }) {
  const start = {
    at: performance.now(),
    disk_ms,
    daemon: readSchedulerTimes(pid),
    self: readSchedulerTimes(process.pid),
  }
  const status = await ask(`${url}/healthz`)
  const wall = performance.now() - start.at
  if (status !== 200) {
    // A daemon that was killed or stopped meanwhile need not answer.
    if (target?.pid === pid) found.unanswered += 1
    return
  }
  const waited =
    readSchedulerTimes(pid).waited_ms -
    start.daemon.waited_ms +
    (readSchedulerTimes(process.pid).waited_ms - start.self.waited_ms) +
    (disk_ms - start.disk_ms)
  found.wall_ms.push(wall)
  found.own_ms.push(Math.max(0, wall - waited))
}

function ask(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent, timeout: TIMEOUT_MS }, (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode))
      reply.on('error', () => resolve(undefined))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(undefined))
  })
}
