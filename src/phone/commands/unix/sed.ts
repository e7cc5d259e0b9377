import { printError, print, type Call } from '../../shell/command.ts'
import { attempt } from './each-name.ts'
import { parseProgramOptions } from './options.ts'
import { parseSed, SedError, type SedAddress, type SedCommand } from './sed-script.ts'
import { readFile, splitLines } from './text-input.ts'

/** `sed [-n] [-E] [-i] [-e] SCRIPT FILE...`: the commands s, d, p, q, y, a, i, c, = with addresses. */
export async function sed(call: Call): Promise<number> {
  const isInPlace = call.args.some((arg) => /^-[nErs]*i/.test(arg))
  const args = call.args.map((arg) => (/^-i./.test(arg) ? '-i' : arg))
  const scripts = args.flatMap((arg, at) => (args[at - 1] === '-e' ? [arg] : []))
  const { flags, operands } = parseProgramOptions(args, ['e', 'f'])
  const [first = '', ...others] = operands
  const source = scripts.length > 0 ? scripts.join('\n') : first
  const names = scripts.length > 0 ? operands : others
  try {
    const commands = parseSed(source, flags.has('E') || flags.has('r'))
    const editor = { commands, silent: flags.has('n') }
    return await (isInPlace ? editFiles(call, names, editor) : editInput(call, names, editor))
  } catch (error) {
    if (!(error instanceof SedError)) throw error
    printError(call, `sed: ${error.message}\n`)
    return 1
  }
}

interface Editor {
  readonly commands: readonly SedCommand[]
  readonly silent: boolean
}

async function editInput(call: Call, names: readonly string[], editor: Editor): Promise<number> {
  const texts: string[] = []
  let code = 0
  for (const name of names.length === 0 ? ['-'] : names) {
    const data = await readFile(call, name)
    if (data === undefined) code = 1
    else texts.push(data.toString('utf8'))
  }
  print(call, edit(texts.join(''), editor))
  return code
}

async function editFiles(call: Call, names: readonly string[], editor: Editor): Promise<number> {
  let code = 0
  for (const name of names) {
    const data = await readFile(call, name)
    const problem = data && attempt(() => call.files.save(name, Buffer.from(edit(data.toString('utf8'), editor))))
    if (problem !== undefined) printError(call, `sed: ${name}: ${problem}\n`)
    if (data === undefined || problem !== undefined) code = 1
  }
  return code
}

interface LineState {
  text: string
  readonly number: number
  readonly isLast: boolean
  readonly output: string[]
}

function edit(text: string, { commands, silent }: Editor): string {
  const lines = splitLines(text)
  const output: string[] = []
  const open = new Set<SedCommand>()
  for (const [index, line] of lines.entries()) {
    const state = { text: line, number: index + 1, isLast: index === lines.length - 1, output }
    const later: string[] = []
    const outcome = editLine(state, { commands, open, later })
    if (!silent && outcome !== 'delete') output.push(state.text)
    output.push(...later)
    if (outcome === 'quit') break
  }
  const joined = output.map((line) => `${line}\n`).join('')
  return text.endsWith('\n') || text === '' ? joined : joined.slice(0, -1)
}

interface LineEdit {
  readonly commands: readonly SedCommand[]
  /** Commands whose range of lines has begun. */
  readonly open: Set<SedCommand>
  readonly later: string[]
}

function editLine(state: LineState, { commands, open, later }: LineEdit): 'keep' | 'delete' | 'quit' {
  for (const command of commands) {
    if (isSelected(state, command, open) === command.negated) continue
    switch (command.kind) {
      case 'd':
        return 'delete'
      case 'q':
        return 'quit'
      case 'p':
        state.output.push(state.text)
        break
      case '=':
        state.output.push(String(state.number))
        break
      case 'i':
        state.output.push(command.text)
        break
      case 'a':
        later.push(command.text)
        break
      case 'c':
        state.output.push(command.text)
        return 'delete'
      case 's':
      case 'y': {
        const changed = command.change(state.text)
        if (changed.replaced && command.prints) state.output.push(changed.text)
        state.text = changed.text
      }
    }
  }
  return 'keep'
}

function isSelected(state: LineState, command: SedCommand, open: Set<SedCommand>): boolean {
  const [from, to] = command.addresses
  if (from === undefined) return true
  if (to === undefined) return matches(state, from)
  if (!open.has(command)) {
    if (!matches(state, from)) return false
    if (to.kind === 'line' && to.number <= state.number) return true
    open.add(command)
    return true
  }
  if (matches(state, to) || (to.kind === 'line' && state.number >= to.number)) open.delete(command)
  return true
}

function matches({ text, number, isLast }: LineState, address: SedAddress): boolean {
  if (address.kind === 'line') return number === address.number
  return address.kind === 'last' ? isLast : address.regex.find(text) !== undefined
}
