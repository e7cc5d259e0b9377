import type { ProgramName } from '../knowledge/documents/adapter-health.ts'
import { type Containment, containProgram, detectContainment } from '../processes/containment.ts'
import { type ProgramResult, runProgram } from '../processes/run-program.ts'
import { EngineFault } from './engine-fault.ts'
import { findPrograms, type InstalledPrograms } from './installed-programs.ts'
import { WORK_VARIABLE, type WorkFolder } from './work-folder.ts'

export interface ProgramCall {
  readonly program: ProgramName
  readonly args: readonly string[]
  readonly timeoutMs: number
}

/** Where a program works, what it reads, and what ends it. */
export interface WorkPlace {
  readonly folder: WorkFolder
  readonly source: string
  readonly signal: AbortSignal
}

const MEBIBYTE = 1_048_576
const MEMORY_BYTES = 1024 * MEBIBYTE
/** The largest file that a program may write. */
const FILE_BYTES = 64 * MEBIBYTE
const PRINTED = { head: 65_536, tail: 4096, bytes: MEBIBYTE }
const GRACE_MS = 500
/** Fonts that documents do not contain, and the settings that choose them. */
const FONT_PATHS = ['/etc/fonts', '/var/cache/fontconfig']
const SIGNAL_EXIT = 128

/**
 * Runs the programs that read documents: without a shell, with limits on time, memory and output, and where bubblewrap
 * works without network, seeing only the system's programs, the document and their folder.
 */
export class ProgramRunner {
  readonly #searchPath: string
  #containment: Promise<Containment> | undefined

  constructor(searchPath: string) {
    this.#searchPath = searchPath
  }

  find(): Promise<InstalledPrograms> {
    return findPrograms(this.#searchPath)
  }

  /** Returns what the program printed. Throws an `EngineFault` if it failed. */
  async run({ program, args, timeoutMs }: ProgramCall, { folder, source, signal }: WorkPlace): Promise<string> {
    signal.throwIfAborted()
    const file = (await this.find())[program]
    if (file === undefined) throw new EngineFault('program_missing')
    const containment = await this.#contain()
    const limited = limitProgram(containment.prlimit, { file, args, timeoutMs })
    const isContained = containment.kind === 'bubblewrap'
    const result = await runProgram({
      ...containProgram(containment, limited, {
        readable: [source, ...FONT_PATHS],
        writable: [folder.path],
        sockets: {},
        network: false,
      }),
      isWrapped: isContained,
      cwd: folder.path,
      env: buildEnvironment(folder),
      timeoutMs,
      graceMs: GRACE_MS,
      limits: PRINTED,
      mark: folder.mark,
      signal,
      onPrinted: () => undefined,
    })
    if (result.ended_by === 'stopped') signal.throwIfAborted()
    assertSucceeded(result)
    return result.stdout.text
  }

  #contain(): Promise<Containment> {
    this.#containment ??= detectContainment(this.#searchPath)
    return this.#containment
  }
}

function limitProgram(
  prlimit: string | undefined,
  { file, args, timeoutMs }: { readonly file: string; readonly args: readonly string[]; readonly timeoutMs: number },
) {
  if (prlimit === undefined) return { file, args }
  const seconds = Math.ceil(timeoutMs / 1000) + 1
  const limits = [`--data=${MEMORY_BYTES}`, `--fsize=${FILE_BYTES}`, `--cpu=${seconds}`, '--core=0']
  return { file: prlimit, args: [...limits, '--', file, ...args] }
}

/** Nothing of the daemon's own environment. */
const buildEnvironment = ({ path, mark }: WorkFolder): Record<string, string> => ({
  PATH: '/usr/bin:/bin',
  HOME: path,
  TMPDIR: path,
  LANG: 'C.UTF-8',
  // One document must not use all processors.
  OMP_THREAD_LIMIT: '1',
  [WORK_VARIABLE]: mark.slice(mark.indexOf('=') + 1),
})

const FILE_SIZE_SIGNAL = 25
const TIME_SIGNAL = 24

function assertSucceeded({ ended_by, exit_code, signal, stderr }: ProgramResult): void {
  if (ended_by === 'timeout') throw new EngineFault('time_limit')
  if (ended_by === 'output_limit') throw new EngineFault('output_limit')
  if (exit_code === 0) return
  if (signal === 'SIGXFSZ' || exit_code === SIGNAL_EXIT + FILE_SIZE_SIGNAL) throw new EngineFault('output_limit')
  if (signal === 'SIGXCPU' || exit_code === SIGNAL_EXIT + TIME_SIGNAL) throw new EngineFault('time_limit')
  if (/incorrect password|encrypted/i.test(stderr.text)) throw new EngineFault('encrypted')
  const isCrash = signal !== undefined || ended_by === 'spawn_failure' || (exit_code ?? 0) > SIGNAL_EXIT
  throw new EngineFault(isCrash ? 'program_failed' : 'damaged')
}
