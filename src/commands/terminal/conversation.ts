import { createInterface, type Interface } from 'node:readline'
import { EXIT_CODES } from './exit-codes.ts'

/** The person pressed Ctrl-C. */
export class Interrupted extends Error {
  constructor() {
    super('Interrupted.')
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const CLEAR_LINE = '\r\u001B[2K'

interface Waiter {
  readonly resolve: (line: string | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Prints text and reads lines: from a person at a terminal, or from standard input without one. */
export class Conversation {
  /** True if input and output are a terminal. */
  readonly interactive: boolean
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #reader: Interface
  readonly #lines: string[] = []
  readonly #interruption = new AbortController()
  readonly #interrupt = () => this.#stop()
  #waiter: Waiter | undefined
  #closed = false
  #prompting = false

  constructor(input: NodeJS.ReadStream = process.stdin, output: NodeJS.WriteStream = process.stdout) {
    this.interactive = input.isTTY && output.isTTY
    this.#input = input
    this.#output = output
    this.#reader = createInterface({
      input,
      terminal: this.interactive,
      ...(this.interactive ? { output } : {}),
    })
    this.#reader.on('line', (line) => this.#receive(line))
    this.#reader.on('close', () => this.#receive(undefined))
    this.#reader.on('SIGINT', this.#interrupt)
    for (const signal of SIGNALS) process.on(signal, this.#interrupt)
  }

  /** Aborted when the person presses Ctrl-C. */
  get signal(): AbortSignal {
    return this.#interruption.signal
  }

  /** Prints a line. A line that is being typed is printed again below it. */
  say(text = ''): void {
    this.#output.write(`${this.#prompting ? CLEAR_LINE : ''}${text}\n`)
    if (this.#prompting) this.#reader.prompt(true)
  }

  /** Returns the next line, or undefined at the end of the input or when `signal` is aborted. */
  async readLine(prompt = '> ', signal?: AbortSignal): Promise<string | undefined> {
    if (this.interactive && this.#lines.length === 0) this.#showPrompt(prompt)
    const stopWaiting = () => this.#deliver(undefined)
    signal?.addEventListener('abort', stopWaiting)
    try {
      return (await this.#next(signal))?.trim()
    } finally {
      signal?.removeEventListener('abort', stopWaiting)
      this.#prompting = false
    }
  }

  /** On a terminal, lines typed before the question are discarded. */
  async ask(question: string): Promise<string | undefined> {
    if (!this.interactive) {
      this.say(question)
      return this.readLine()
    }
    this.#lines.length = 0
    return this.readLine(`${question} `)
  }

  /** The end of the input counts as no. */
  async confirm(question: string, defaultAnswer: boolean): Promise<boolean> {
    const answer = await this.ask(`${question} ${defaultAnswer ? '[Y/n]' : '[y/N]'}`)
    if (answer === undefined) return false
    return answer === '' ? defaultAnswer : /^y(es)?$/i.test(answer)
  }

  close(): void {
    for (const signal of SIGNALS) process.off(signal, this.#interrupt)
    this.#closed = true
    this.#reader.close()
    this.#input.pause()
  }

  #showPrompt(prompt: string): void {
    if (this.#closed) return
    this.#reader.setPrompt(prompt)
    this.#reader.prompt()
    this.#prompting = true
  }

  #next(signal: AbortSignal | undefined): Promise<string | undefined> {
    if (this.signal.aborted) return Promise.reject(this.#reason())
    if (signal?.aborted === true) return Promise.resolve(undefined)
    const line = this.#lines.shift()
    if (line !== undefined || this.#closed) return Promise.resolve(line)
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
    })
  }

  #receive(line: string | undefined): void {
    if (line === undefined) this.#closed = true
    if (!this.#deliver(line) && line !== undefined) this.#lines.push(line)
  }

  /** Returns false if no read is waiting. */
  #deliver(line: string | undefined): boolean {
    const waiter = this.#waiter
    this.#waiter = undefined
    waiter?.resolve(line)
    return waiter !== undefined
  }

  #stop(): void {
    // A second Ctrl-C ends the process at once.
    if (this.signal.aborted) process.exit(EXIT_CODES.interrupted)
    if (this.#prompting) this.#output.write('\n')
    this.#prompting = false
    this.#interruption.abort(new Interrupted())
    this.#waiter?.reject(this.#reason())
    this.#waiter = undefined
  }

  #reason(): Error {
    // It is aborted with no other reason.
    return this.signal.reason as Interrupted
  }
}
