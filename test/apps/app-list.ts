import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export const APP_SETS = ['work', 'look'] as const
export type AppSet = (typeof APP_SETS)[number]

export interface AppFiles {
  readonly set: AppSet
  readonly name: string
  /** The path of both files without `.json` and `.lessons.json`. */
  readonly path: string
}

/** Lists the apps of the development set. An app with only one of its two files is listed too. */
export function listApps(): AppFiles[] {
  return APP_SETS.flatMap((set) => {
    const folder = join(import.meta.dirname, set)
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    const names = new Set(files.map((file) => file.replace(/(\.lessons)?\.json$/, '')))
    return [...names].toSorted().map((name) => ({ set, name, path: join(folder, name) }))
  })
}
