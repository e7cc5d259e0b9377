import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync } from './private-files.ts'

/** Which database a home has. The database holds the same values in its table `database_identity`. */
export interface Generation {
  readonly database_id: string
  /** Grows when the database is replaced: by a restore, or after an accepted loss. */
  readonly generation: number
  /** The number of commits so far. */
  readonly commit_count: number
}

const FILE_NAME = 'generation.json'
/** The width of the number, so that the file can be overwritten in place. */
const COUNT_WIDTH = 16

/** The generation file of a home is damaged. */
export class GenerationUnreadable extends Error {}

/** Returns undefined if the home never had a database, or its program was too old to remember it. */
export function readGeneration(home: string): Generation | undefined {
  const file = join(home, FILE_NAME)
  if (!existsSync(file)) return undefined
  try {
    const { database_id, generation, commit_count } = JSON.parse(readFileSync(file, 'utf8')) as Generation
    if (typeof database_id === 'string' && Number.isInteger(generation) && Number.isInteger(commit_count)) {
      return { database_id, generation, commit_count }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new GenerationUnreadable(`${file} is damaged.`)
}

/** The last generation of a home, or 0. A damaged file counts as none. */
export function findLastGeneration(home: string): number {
  try {
    return readGeneration(home)?.generation ?? 0
  } catch (error) {
    if (error instanceof GenerationUnreadable) return 0
    throw error
  }
}

export function writeGeneration(home: string, generation: Generation): void {
  replaceFileSync(join(home, FILE_NAME), format(generation))
}

/**
 * Counts commits in the generation file, so that a start notices a database that lacks some of them. A count survives
 * the end of the process at once, and a power cut after `sync`.
 */
export class CommitRecord {
  readonly #handle: number
  #known: Generation

  constructor(home: string, known: Generation) {
    this.#known = known
    writeGeneration(home, known)
    this.#handle = openSync(join(home, FILE_NAME), 'r+')
  }

  record(commit_count: number): void {
    this.#known = { ...this.#known, commit_count }
    writeSync(this.#handle, format(this.#known), 0)
  }

  sync(): void {
    fsyncSync(this.#handle)
  }

  close(): void {
    closeSync(this.#handle)
  }
}

const format = ({ database_id, generation, commit_count }: Generation): string =>
  `{"database_id":"${database_id}","generation":${generation},"commit_count":${String(commit_count).padStart(COUNT_WIDTH)}}\n`
