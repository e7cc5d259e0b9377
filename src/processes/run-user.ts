import { readFile } from 'node:fs/promises'

/** The user ids that scripts may run under, first and last. */
export type UserIdRange = readonly [number, number]

/** The ids that runs of this daemon use now. */
const inUse = new Set<number>()

/** Takes an id of the range that no user of the system and no other run has. Undefined if there is none. */
export async function takeUserId([first, last]: UserIdRange): Promise<number | undefined> {
  const known = await listSystemIds()
  for (let id = first; id <= last; id += 1) {
    if (known.has(id) || inUse.has(id)) continue
    inUse.add(id)
    return id
  }
  return undefined
}

export function releaseUserId(id: number): void {
  inUse.delete(id)
}

async function listSystemIds(): Promise<Set<number>> {
  const texts = await Promise.all(['/etc/passwd', '/etc/group'].map((file) => readFile(file, 'utf8').catch(() => '')))
  const lines = texts.flatMap((text) => text.split('\n'))
  return new Set(lines.map((line) => Number(line.split(':')[2])))
}
