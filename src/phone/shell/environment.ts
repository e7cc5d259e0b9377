import { createFolderView } from '../host/folder-view.ts'
import type { FileTree } from '../host/file-tree.ts'
import { ShellExit } from './budget.ts'
import type { Environment } from './expansion.ts'
import { runSubshell, setVariable, type Shell } from './shell-state.ts'
import { OutputCollector, reportError, type Streams } from './streams.ts'
import type { Command } from './syntax.ts'

/** What the expansion of words reads from a shell. */
export class ShellEnvironment implements Environment {
  readonly shell: Shell
  private readonly streams: Streams
  /** The exit code of the last command that was substituted. */
  substitutionCode = 0

  constructor(shell: Shell, streams: Streams) {
    this.shell = shell
    this.streams = streams
  }

  get files(): FileTree {
    return createFolderView(this.shell.device.files, this.shell.folder)
  }

  get args(): readonly string[] {
    return this.shell.args
  }

  variable(name: string): string {
    return this.lookUp(name) ?? ''
  }

  lookUp(name: string): string | undefined {
    const { shell } = this
    switch (name) {
      case '?':
        return String(shell.lastCode)
      case '$':
        return String(shell.pid)
      case '!':
        return shell.jobs.lastPid === 0 ? '' : String(shell.jobs.lastPid)
      case '#':
        return String(shell.args.length)
      case '@':
      case '*':
        return shell.args.length === 0 ? undefined : shell.args.join(' ')
      case '-':
        return shell.exitsOnFailure ? 'e' : ''
      case 'PWD':
        return shell.folder
      case 'RANDOM':
        return String(Math.floor(Math.random() * 32_768))
      case '0':
        return shell.name
      default:
        return /^\d+$/.test(name) ? shell.args[Number(name) - 1] : shell.variables.get(name)
    }
  }

  assign(name: string, value: string): void {
    if (!setVariable(this.shell, name, value)) this.fail(`${name}: is read only`)
  }

  countText(length: number): void {
    this.shell.budget.addText(length)
  }

  async output(body: Command): Promise<string> {
    const collector = new OutputCollector(this.shell.budget)
    this.substitutionCode = await runSubshell(this.shell, body, { ...this.streams, stdout: collector.write })
    this.shell.lastCode = this.substitutionCode
    const text = collector.take().toString('utf8')
    return text.replace(/(?<!\n)\n+$/, '').replaceAll('\0', '')
  }

  reportError(text: string): void {
    reportError(this.streams, text)
  }

  /** Reports an error that ends the shell. */
  fail(text: string): never {
    this.reportError(text)
    throw new ShellExit(1)
  }
}
