import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Import records of an older program in the home folder. */
export class LegacyImports {
  readonly #file: string

  constructor({ home }: { readonly home: string }) {
    this.#file = join(home, 'imports', 'legacy-imports.json')
  }

  /** Returns an empty list if there is no file. Throws if the file is not JSON. */
  async read(): Promise<readonly unknown[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '[]')
    const value: unknown = JSON.parse(text)
    const { imports = value } = value as { imports?: unknown }
    return Array.isArray(imports) ? imports : []
  }

  /** Renames the file after its records were migrated. */
  async putAway(): Promise<void> {
    await rename(this.#file, `${this.#file}.migrated`).catch(() => undefined)
  }
}
