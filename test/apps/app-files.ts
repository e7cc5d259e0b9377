import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Copies an app document and the files of its recorded trees to a folder. */
export function copyApp(documentFile: string, folder: string): void {
  copyFileSync(documentFile, join(folder, basename(documentFile)))
  const { screens = {}, dialogs = {} } = JSON.parse(readFileSync(documentFile, 'utf8')) as Record<
    'screens' | 'dialogs',
    Record<string, { tree?: unknown }> | undefined
  >
  for (const { tree } of [...Object.values(screens), ...Object.values(dialogs)]) {
    if (typeof tree !== 'string' || tree.includes('<')) continue
    const file = join(dirname(documentFile), basename(tree))
    if (existsSync(file)) copyFileSync(file, join(folder, basename(tree)))
  }
}
