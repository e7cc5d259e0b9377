import { existsSync } from 'node:fs'
import type { ProgramFacts } from '../knowledge/documents/adapter-health.ts'
import type { DocumentStorage } from './document-storage.ts'
import { EngineFault } from './engine-fault.ts'
import { toFacts } from './installed-programs.ts'
import { DocumentOperation } from './operation.ts'
import type { OperationInput, OperationResult, PageWorker } from './operation-input.ts'
import { ProgramRunner } from './program-runner.ts'
import { listLanguages } from './text-recognition.ts'
import { openWorkFolder, removeWorkFolders } from './work-folder.ts'

export interface EngineDeps {
  readonly home: string
  readonly searchPath: string
  readonly clock: () => Date
  readonly storage: Pick<DocumentStorage, 'locate'>
  readonly worker: PageWorker
}

const PROBE_ID = 'health'

/** Reads documents with the programs that are installed. */
export class DocumentEngine {
  readonly #deps: EngineDeps
  readonly #runner: ProgramRunner
  #languages: { readonly program: string; readonly names: readonly string[] } | undefined
  #checking: Promise<ProgramFacts> | undefined

  constructor(deps: EngineDeps) {
    this.#deps = deps
    this.#runner = new ProgramRunner(deps.searchPath)
  }

  /** Looks for the programs without running them, for a quick start. */
  async look(): Promise<ProgramFacts> {
    return toFacts(await this.#runner.find(), this.#languages?.names, this.#deps.clock().toISOString())
  }

  /** Looks for the programs, and asks tesseract for its languages when it was not there before. */
  check(): Promise<ProgramFacts> {
    // Checks at the same time are one, because they share a folder.
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  async #check(): Promise<ProgramFacts> {
    const programs = await this.#runner.find()
    const program = programs.tesseract
    if (program === undefined) this.#languages = undefined
    else if (this.#languages?.program !== program || this.#languages.names.length === 0) {
      this.#languages = { program, names: await this.#listLanguages() }
    }
    return toFacts(programs, this.#languages?.names, this.#deps.clock().toISOString())
  }

  /** Throws an `EngineFault`, or the reason of the signal. */
  async run(input: OperationInput, signal: AbortSignal): Promise<OperationResult> {
    const { home, storage, worker } = this.#deps
    const { ocr_languages } = await this.check()
    const source = storage.locate(input.content_hash_sha256)
    if (!existsSync(source)) throw new EngineFault('source_missing')
    const folder = await openWorkFolder(home, input.operation_id)
    try {
      const place = { folder, source, signal }
      return await new DocumentOperation(input, place, { runner: this.#runner, worker, ocr_languages }).run()
    } finally {
      await folder.remove()
    }
  }

  /** Ends what a killed daemon left. */
  recover(): Promise<void> {
    return removeWorkFolders(this.#deps.home)
  }

  async #listLanguages(): Promise<readonly string[]> {
    const folder = await openWorkFolder(this.#deps.home, PROBE_ID)
    try {
      const place = { folder, source: folder.path, signal: AbortSignal.timeout(20_000) }
      return await listLanguages(this.#runner, place)
    } catch {
      return []
    } finally {
      await folder.remove()
    }
  }
}
