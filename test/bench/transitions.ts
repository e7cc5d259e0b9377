import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { fillPath } from '@apprentice/contracts/client.ts'
import { pauseCapture, resumeCapture } from '@apprentice/contracts/learn/sessions.ts'
import { compared, type Figure } from './figure.ts'
import { addSessions, benchToken, databaseOf, makeHome } from './home.ts'
import { type Contender, interleave, load } from './load.ts'
import { daemonEnv, daemonProgram, type Program, startProgram } from './program.ts'
import { serverProgram } from './servers.ts'

/** Agents, dashboards and operators of one busy house. */
const connections = 128
const sessionsEach = 20

/** What a durable move of a session costs, with everything around it. */
export const transitions: Figure = {
  name: 'transition',
  baseline:
    'Fastify with the same SQL at synchronous=FULL, without gate, contract, stream or mirrors',
  run: async () => {
    const contenders = await Promise.all([
      contend('ours', (home) =>
        startProgram([daemonProgram, 'serve'], daemonEnv(home, benchToken)),
      ),
      contend('single', (home) => startBare(home, 'single')),
      contend('group', (home) => startBare(home, 'group')),
    ])
    try {
      const rates = await interleave(contenders, { warmSeconds: 2, seconds: 2, turns: 3 })
      const ours = { ours: rates.ours, unit: 'req/s' }
      return [
        compared(2.5, { what: 'against a commit per request', ...ours, baseline: rates.single }),
        compared(0.6, { what: 'against group commit', ...ours, baseline: rates.group }),
      ]
    } finally {
      for (const contender of contenders) await contender.close()
    }
  },
}

const startBare = (home: string, mode: 'single' | 'group'): Program =>
  startProgram([serverProgram('bare-transitions'), databaseOf(home), mode])

async function contend<N extends string>(
  name: N,
  start: (home: string) => Program,
): Promise<Contender & { name: N; close(): Promise<void> }> {
  const home = makeHome()
  const ids = await addSessions(home, connections * sessionsEach, 'capturing')
  const program = start(home)
  const { url } = await program.firstLine
  return {
    name,
    run: (seconds) => {
      resetSessions(home)
      return load({
        url: String(url),
        connections,
        seconds,
        headers: { authorization: `Bearer ${benchToken}` },
        requests: (at) => walk(ids.slice(at * sessionsEach, (at + 1) * sessionsEach)),
      })
    },
    close: async () => {
      await program.end('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Every session is paused, then every one resumed, and over again. */
const walk = (ids: readonly string[]) =>
  [pauseCapture, resumeCapture].flatMap(({ method, url }) =>
    ids.map((sessionId) => ({ method, path: fillPath(url, { sessionId }) })),
  )

/** A load is cut off anywhere; the next begins with all sessions capturing, and none grown long. */
function resetSessions(home: string): void {
  const db = new Database(databaseOf(home))
  db.prepare(
    "UPDATE learn_sessions SET state = 'capturing', active_observation_batch_ids = '[]'",
  ).run()
  db.close()
}
