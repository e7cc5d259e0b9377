import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareMirrors } from '../../src/projections/engine/compare.ts'
import { mirrorTable } from '../../src/projections/files/projection-table.ts'
import type { Reader } from '../../src/store/db/db.ts'

/** Remembered replies are mirrored at most every half minute, so a running daemon may leave theirs behind. */
const slow = 'system/learning/idempotency.json'

/** Mirrors that are not what the database says; every one of them once the daemon has stopped. */
export async function findMirrorFaults(
  reader: Reader,
  home: string,
  { running }: { running: boolean },
): Promise<string[]> {
  const faults: string[] = []
  for await (const { path, problem } of compareMirrors(
    reader,
    home,
    mirrorTable({ max_phase: 1 }),
  )) {
    if (!running || path !== slow) faults.push(`${path} ${problem}`)
  }
  const files = readdirSync(join(home, 'system'), { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
    faults.push(...findBadLines(join(home, 'system', file)))
  }
  return [...faults, ...findOtherStates(reader, home)]
}

function findBadLines(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n')
  const faults = lines.pop() === '' ? [] : [`${file} ends in the middle of a line`]
  if (new Set(lines).size !== lines.length) faults.push(`${file} has a line twice`)
  for (const line of lines) {
    try {
      JSON.parse(line)
    } catch {
      faults.push(`${file} has a torn line`)
    }
  }
  return faults
}

/** Read without the renderer that wrote them. */
function findOtherStates({ db }: Reader, home: string): string[] {
  const rows = db.prepare('SELECT learn_session_id, state FROM learn_sessions').raw().all()
  return (rows as [string, string][]).flatMap(([id, state]) => {
    const file = join(home, 'system', 'learning', 'sessions', `${id}.json`)
    if (!existsSync(file)) return [`there is no file of ${id}`]
    const { state: shown } = JSON.parse(readFileSync(file, 'utf8')) as { state: string }
    return shown === state ? [] : [`the file of ${id} says ${shown}, its row ${state}`]
  })
}
