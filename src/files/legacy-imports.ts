import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Records of imports an older program left in the home, until they are taken over. */
export class LegacyImports {
  readonly #file: string

  constructor({ home }: { readonly home: string }) {
    this.#file = join(home, 'imports', 'legacy-imports.json')
  }

  /** None when there is no such file. One that cannot be read is left where it is. */
  async read(): Promise<readonly unknown[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '[]')
    const value: unknown = JSON.parse(text)
    const { imports = value } = value as { imports?: unknown }
    return Array.isArray(imports) ? imports : []
  }

  /** They are taken over; the file stays beside, under another name. */
  async putAway(): Promise<void> {
    await rename(this.#file, `${this.#file}.migrated`).catch(() => undefined)
  }
}
