import { createInterface, type Interface } from 'node:readline'
import { exitCodes } from './exit-codes.ts'

/** The person pressed Ctrl-C. */
export class Interrupted extends Error {
  constructor() {
    super('Interrupted.')
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const wipeLine = '\r\u001B[2K'

interface Waiter {
  readonly give: (line: string | undefined) => void
  readonly fail: (error: unknown) => void
}

/** Talks with a person at a terminal, or with a program that writes the same lines into standard input. */
export class Conversation {
  /** There is a person who can be asked. */
  readonly interactive: boolean
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #reader: Interface
  readonly #lines: string[] = []
  readonly #interruption = new AbortController()
  readonly #interrupt = () => this.#stop()
  #waiter: Waiter | undefined
  #over = false
  #prompting = false

  constructor(
    input: NodeJS.ReadStream = process.stdin,
    output: NodeJS.WriteStream = process.stdout,
  ) {
    this.interactive = input.isTTY && output.isTTY
    this.#input = input
    this.#output = output
    this.#reader = createInterface({
      input,
      terminal: this.interactive,
      ...(this.interactive ? { output } : {}),
    })
    this.#reader.on('line', (line) => this.#take(line))
    this.#reader.on('close', () => this.#take(undefined))
    this.#reader.on('SIGINT', this.#interrupt)
    for (const signal of signals) process.on(signal, this.#interrupt)
  }

  /** Ends whatever waits when the person does not want to go on. */
  get signal(): AbortSignal {
    return this.#interruption.signal
  }

  /** Also in the middle of a line that is being typed, which stays. */
  say(words = ''): void {
    this.#output.write(`${this.#prompting ? wipeLine : ''}${words}\n`)
    if (this.#prompting) this.#reader.prompt(true)
  }

  /**
   * The next line, whether it is there already or has to be waited for; undefined when there are no more, or when
   * it is no longer waited for.
   */
  async command(prompt = '> ', unless?: AbortSignal): Promise<string | undefined> {
    if (this.interactive && this.#lines.length === 0) this.#show(prompt)
    const giveUp = () => this.#give(undefined)
    unless?.addEventListener('abort', giveUp)
    try {
      return (await this.#next(unless))?.trim()
    } finally {
      unless?.removeEventListener('abort', giveUp)
      this.#prompting = false
    }
  }

  /** What was typed before the question was put is no answer to it. */
  async ask(question: string): Promise<string | undefined> {
    if (!this.interactive) {
      this.say(question)
      return this.command()
    }
    this.#lines.length = 0
    return this.command(`${question} `)
  }

  /** Silence is no consent. */
  async confirm(question: string, usual: boolean): Promise<boolean> {
    const answer = await this.ask(`${question} ${usual ? '[Y/n]' : '[y/N]'}`)
    if (answer === undefined) return false
    return answer === '' ? usual : /^y(es)?$/i.test(answer)
  }

  close(): void {
    for (const signal of signals) process.off(signal, this.#interrupt)
    this.#over = true
    this.#reader.close()
    this.#input.pause()
  }

  #show(prompt: string): void {
    if (this.#over) return
    this.#reader.setPrompt(prompt)
    this.#reader.prompt()
    this.#prompting = true
  }

  #next(unless: AbortSignal | undefined): Promise<string | undefined> {
    if (this.signal.aborted) return Promise.reject(this.#reason())
    if (unless?.aborted === true) return Promise.resolve(undefined)
    const line = this.#lines.shift()
    if (line !== undefined || this.#over) return Promise.resolve(line)
    return new Promise((give, fail) => {
      this.#waiter = { give, fail }
    })
  }

  #take(line: string | undefined): void {
    if (line === undefined) this.#over = true
    if (!this.#give(line) && line !== undefined) this.#lines.push(line)
  }

  /** False when nobody waits for it. */
  #give(line: string | undefined): boolean {
    const waiter = this.#waiter
    this.#waiter = undefined
    waiter?.give(line)
    return waiter !== undefined
  }

  #stop(): void {
    // Who asks twice does not want to wait for anything.
    if (this.signal.aborted) process.exit(exitCodes.interrupted)
    if (this.#prompting) this.#output.write('\n')
    this.#prompting = false
    this.#interruption.abort(new Interrupted())
    this.#waiter?.fail(this.#reason())
    this.#waiter = undefined
  }

  #reason(): Error {
    // It is only ever aborted with this.
    return this.signal.reason as Interrupted
  }
}
