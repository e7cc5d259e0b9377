import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareProjections } from '../../src/projections/engine/compare.ts'
import { listProjections } from '../../src/projections/files/projection-table.ts'
import type { Reader } from '../../src/store/db/db.ts'

/** Written at most every half minute, so it may be behind while the daemon runs. */
const DEFERRED = 'system/learning/idempotency.json'

/** Finds projections that differ from the database. Deferred ones are checked only when the daemon has stopped. */
export async function findProjectionFaults(
  reader: Reader,
  home: string,
  { running }: { running: boolean },
): Promise<string[]> {
  const faults: string[] = []
  for await (const { path, problem } of compareProjections(reader, home, listProjections({ max_phase: 1 }))) {
    if (!running || path !== DEFERRED) faults.push(`${path} ${problem}`)
  }
  const files = readdirSync(join(home, 'system'), { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
    faults.push(...findBadLines(join(home, 'system', file)))
  }
  return [...faults, ...findDifferentStates(reader, home)]
}

function findBadLines(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n')
  const faults = lines.pop() === '' ? [] : [`${file} ends in the middle of a line`]
  if (new Set(lines).size !== lines.length) faults.push(`${file} has a duplicate line`)
  for (const line of lines) {
    try {
      JSON.parse(line)
    } catch {
      faults.push(`${file} has a torn line`)
    }
  }
  return faults
}

/** Compares states without the code that rendered them. */
function findDifferentStates({ db }: Reader, home: string): string[] {
  const rows = db.prepare('SELECT learn_session_id, state FROM learn_sessions').raw().all()
  return (rows as [string, string][]).flatMap(([id, state]) => {
    const file = join(home, 'system', 'learning', 'sessions', `${id}.json`)
    if (!existsSync(file)) return [`${id} has no file`]
    const { state: written } = JSON.parse(readFileSync(file, 'utf8')) as { state: string }
    return written === state ? [] : [`the file of ${id} has the state ${written}, its row ${state}`]
  })
}
