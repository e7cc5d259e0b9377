/** Thrown by `exit`, when the stream was closed, and when a limit is reached. */
export class ShellExit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

export const HANGUP_CODE = 129
export const KILLED_CODE = 137

export interface ShellLimits {
  /** Commands run, and 64 bytes of expanded text each. */
  readonly steps: number
  /** Bytes collected in memory by pipes and substitutions. */
  readonly outputBytes: number
  /** The length of one expanded word. */
  readonly wordLength: number
  /** Functions, subshells and substitutions inside each other. */
  readonly depth: number
}

export const SHELL_LIMITS: ShellLimits = {
  steps: 1_000_000,
  outputBytes: 64 * 1024 * 1024,
  wordLength: 1024 * 1024,
  depth: 100,
}

const BYTES_PER_STEP = 64
const STEPS_PER_TURN = 500

/** What one shell may still use. All its subshells and functions share it. A shell that used it up is killed. */
export class Budget {
  private readonly limits: ShellLimits
  private readonly onKilled: () => void
  private steps = 0
  private outputBytes = 0
  private turnSteps = 0
  private killed = false
  depth = 0

  constructor(limits: ShellLimits, onKilled: () => void) {
    this.limits = limits
    this.onKilled = onKilled
  }

  /** Counts a command. Returns true if other work of the process should get a turn first. */
  addStep(): boolean {
    this.spend(1)
    this.turnSteps += 1
    if (this.turnSteps < STEPS_PER_TURN) return false
    this.turnSteps = 0
    return true
  }

  addText(length: number): void {
    if (length > this.limits.wordLength) this.kill()
    this.spend(length / BYTES_PER_STEP)
  }

  addOutput(bytes: number): void {
    this.outputBytes += bytes
    if (this.outputBytes > this.limits.outputBytes) this.kill()
  }

  enter(): void {
    if (this.depth >= this.limits.depth) this.kill()
    this.depth += 1
  }

  leave(): void {
    this.depth -= 1
  }

  private spend(steps: number): void {
    this.steps += steps
    if (this.killed || this.steps > this.limits.steps) this.kill()
  }

  private kill(): never {
    if (!this.killed) this.onKilled()
    this.killed = true
    throw new ShellExit(KILLED_CODE)
  }
}
