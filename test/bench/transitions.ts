import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { fillPath } from '@apprentice/contracts/client.ts'
import { pauseCapture, resumeCapture } from '@apprentice/contracts/learn/sessions.ts'
import { compareRates, type Figure } from './figure.ts'
import { addSessions, BENCH_TOKEN, getDatabasePath, createHome } from './home.ts'
import { type Contender, measureInterleaved, measureLoad } from './load.ts'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from './program.ts'
import { getServerProgram } from './servers.ts'

/** Agents, dashboards and operators of a busy installation. */
const CONNECTIONS = 128
const SESSIONS_EACH = 20

/** The cost of a durable state transition of a session. */
export const transitions: Figure = {
  name: 'transition',
  baseline: 'Fastify with the same SQL at synchronous=FULL, without guards, contract, stream or projections',
  run: async () => {
    const contenders = await Promise.all([
      startContender('ours', (home) => startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))),
      startContender('single', (home) => startBare(home, 'single')),
      startContender('group', (home) => startBare(home, 'group')),
    ])
    try {
      const rates = await measureInterleaved(contenders, { warmupSeconds: 2, seconds: 2, turns: 3 })
      const ours = { ours: rates.ours, unit: 'req/s' }
      return [
        compareRates(2.5, {
          what: 'compared to a commit per request',
          ...ours,
          baseline: rates.single,
        }),
        compareRates(0.6, { what: 'compared to group commit', ...ours, baseline: rates.group }),
      ]
    } finally {
      for (const contender of contenders) await contender.close()
    }
  },
}

const startBare = (home: string, mode: 'single' | 'group'): Program =>
  startProgram([getServerProgram('bare-transitions'), getDatabasePath(home), mode])

async function startContender<N extends string>(
  name: N,
  start: (home: string) => Program,
): Promise<Contender & { name: N; close(): Promise<void> }> {
  const home = createHome()
  const ids = await addSessions(home, CONNECTIONS * SESSIONS_EACH, 'capturing')
  const program = start(home)
  const { url } = await program.firstLine
  return {
    name,
    run: (seconds) => {
      resetSessions(home)
      return measureLoad({
        url: String(url),
        connections: CONNECTIONS,
        seconds,
        headers: { authorization: `Bearer ${BENCH_TOKEN}` },
        requests: (at) => buildRequests(ids.slice(at * SESSIONS_EACH, (at + 1) * SESSIONS_EACH)),
      })
    },
    close: async () => {
      await program.end('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Pauses all sessions, then resumes all of them, repeatedly. */
const buildRequests = (ids: readonly string[]) =>
  [pauseCapture, resumeCapture].flatMap(({ method, url }) =>
    ids.map((sessionId) => ({ method, path: fillPath(url, { sessionId }) })),
  )

/** A load can end anywhere. Resets all sessions to `capturing` with short batch lists. */
function resetSessions(home: string): void {
  const db = new Database(getDatabasePath(home))
  db.prepare("UPDATE learn_sessions SET state = 'capturing', active_observation_batch_ids = '[]'").run()
  db.close()
}
