import { findForeground, stopApp } from '../../model/tasks.ts'
import type { App } from '../../model/app.ts'
import type { Device } from '../../model/device.ts'
import { printError, print, type Call, type Program } from '../../shell/command.ts'
import { matchPattern } from '../../shell/patterns.ts'
import { parseProgramOptions } from './options.ts'

/** A process as `ps` shows it. */
interface Row {
  readonly user: string
  readonly pid: number
  readonly ppid: number
  readonly name: string
  readonly stop: () => void
}

const ZYGOTE_PID = 670
const ADBD_PID = 480

/** Processes that every phone has. The shell user cannot end them. */
const SYSTEM: readonly (readonly [user: string, pid: number, ppid: number, name: string])[] = [
  ['root', 1, 0, 'init'],
  ['logd', 301, 1, 'logd'],
  ['system', 303, 1, 'servicemanager'],
  ['system', 420, 1, 'surfaceflinger'],
  ['shell', ADBD_PID, 1, 'adbd'],
  ['root', ZYGOTE_PID, 1, 'zygote64'],
  ['system', 1200, ZYGOTE_PID, 'system_server'],
]

export function listProcesses(device: Device): readonly Row[] {
  const refuse = (): void => {
    throw new PermissionError()
  }
  const system = SYSTEM.map(([user, pid, ppid, name]) => ({ user, pid, ppid, name, stop: refuse }))
  const apps = [...device.apps.values()].flatMap((app) => {
    if (app.process === undefined) return []
    return [{ user: toUser(app), pid: app.process.pid, ppid: ZYGOTE_PID, name: app.document.package, stop: refuse }]
  })
  const shell = device.processes
    .list()
    .map(({ pid, name, stop }) => ({ user: 'shell', pid, ppid: ADBD_PID, name, stop }))
  return [...system, ...apps, ...shell]
}

class PermissionError extends Error {}

function toUser(app: App): string {
  return app.document.kind === 'app' ? `u0_a${app.userId - 10_000}` : 'system'
}

const COLUMNS: Readonly<Record<string, (row: Row) => string>> = {
  USER: ({ user }) => user,
  UID: ({ user }) => user,
  PID: ({ pid }) => String(pid),
  PPID: ({ ppid }) => String(ppid),
  VSZ: () => '15478256',
  VSIZE: () => '15478256',
  RSS: () => '118204',
  WCHAN: () => '0',
  ADDR: () => '0',
  PC: () => '0',
  S: () => 'S',
  STAT: () => 'S',
  NI: () => '0',
  PRI: () => '19',
  TIME: () => '00:00:01',
  TTY: () => '?',
  NAME: ({ name }) => name,
  CMD: ({ name }) => name.split(':')[0]?.slice(-15) ?? '',
  COMM: ({ name }) => name.slice(-15),
  ARGS: ({ name }) => name,
  CMDLINE: ({ name }) => name,
}
const RIGHT_ALIGNED = new Set(['PID', 'PPID', 'VSZ', 'VSIZE', 'RSS', 'NI', 'PRI', 'PC', 'ADDR'])
const DEFAULT_COLUMNS = 'USER,PID,PPID,VSZ,RSS,WCHAN,ADDR,S,NAME'
const FULL_COLUMNS = 'UID,PID,PPID,TTY,TIME,CMD'

/** `ps [-AefwZ] [-p PIDS] [-u USERS] [-o COLUMNS] [NAME]`. Without -A it shows the processes of the shell user. */
function ps(call: Call): number {
  if (call.args.includes('--help')) {
    print(call, PS_HELP)
    return 0
  }
  const { flags, operands } = parseProgramOptions(call.args, ['o', 'O', 'p', 'u', 'U', 'k', 'P', 't', 'G', 'g'])
  const names = (flags.get('o') ?? (flags.has('f') ? FULL_COLUMNS : DEFAULT_COLUMNS)).toUpperCase().split(/[,\s]+/)
  const columns = names.map((name) => name.replace(/[:=].*$/s, ''))
  const unknown = columns.find((name) => COLUMNS[name] === undefined)
  if (unknown !== undefined) {
    printError(call, `ps: bad -o ${unknown}\n`)
    return 1
  }
  const pids = flags.get('p')?.split(',')
  const users = (flags.get('u') ?? flags.get('U'))?.split(',')
  const shown = listProcesses(call.device).filter(({ pid, user, name }) => {
    if (pids !== undefined) return pids.includes(String(pid))
    if (users !== undefined) return users.includes(user) || (users.includes('2000') && user === 'shell')
    if (operands.length > 0) return operands.some((operand) => operand === name || operand === String(pid))
    return flags.has('A') || flags.has('e') || user === 'shell'
  })
  const withHead = !/=/.test(flags.get('o') ?? '')
  print(call, formatTable(columns, shown, withHead))
  return pids !== undefined && shown.length === 0 ? 1 : 0
}

function formatTable(columns: readonly string[], rows: readonly Row[], withHead: boolean): string {
  const lines = rows.map((row) => columns.map((name) => COLUMNS[name]?.(row) ?? ''))
  const all = withHead ? [columns, ...lines] : lines
  const widths = columns.map((_name, at) => Math.max(0, ...all.map((line) => line[at]?.length ?? 0)))
  const format = (line: readonly string[]): string =>
    line
      .map((text, at) => {
        const width = at === columns.length - 1 ? 0 : (widths[at] ?? 0)
        return RIGHT_ALIGNED.has(columns[at] ?? '') ? text.padStart(widths[at] ?? 0) : text.padEnd(width)
      })
      .join(' ')
  return all.map((line) => `${format(line)}\n`).join('')
}

const PS_HELP = `Toybox 0.8.9-android multicall binary (see toybox --help)

usage: ps [-AadefLlnwZ] [-gG GROUP,] [-k FIELD,] [-o FIELD,] [-p PID,] [-t TTY,] [-uU USER,]

List processes.

Which processes to show (-gGuUpPt selections may be comma separated lists):

-A  All
-a  Has terminal not session leader
-e  Synonym for -A
`

function pidof(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['o'])
  const found = operands.flatMap((name) => listProcesses(call.device).filter((row) => row.name === name))
  if (found.length === 0) return 1
  print(call, `${(flags.has('s') ? found.slice(0, 1) : found).map(({ pid }) => pid).join(' ')}\n`)
  return 0
}

function pgrep(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['u', 'U', 'P'])
  const found = selectByName(call, operands[0] ?? '', flags)
  print(call, found.map(({ pid, name }) => (flags.has('l') ? `${pid} ${name}\n` : `${pid}\n`)).join(''))
  return found.length > 0 ? 0 : 1
}

function selectByName(call: Call, text: string, flags: ReadonlyMap<string, string>): readonly Row[] {
  const pattern = [{ text: flags.has('x') ? text : `*${text}*`, quoted: false }]
  return listProcesses(call.device).filter(({ name }) => matchPattern(pattern, name))
}

const SIGNALS = [
  'HUP',
  'INT',
  'QUIT',
  'ILL',
  'TRAP',
  'ABRT',
  'BUS',
  'FPE',
  'KILL',
  'USR1',
  'SEGV',
  'USR2',
  'PIPE',
  'ALRM',
  'TERM',
]

/** `kill [-SIGNAL] PID...`. The shell user can end its own processes only. */
function kill(call: Call): number {
  if (call.args[0] === '-l') {
    print(call, SIGNALS.map((name, at) => `${String(at + 1).padStart(2)} ${name}\n`).join(''))
    return 0
  }
  const pids = call.args.filter((arg, at) => !arg.startsWith('-') && call.args[at - 1] !== '-s')
  const isProbe = call.args.includes('-0')
  let code = 0
  for (const pid of pids) {
    const row = listProcesses(call.device).find((one) => String(one.pid) === pid)
    const problem = row === undefined ? 'No such process' : isProbe ? undefined : end(row)
    if (problem === undefined) continue
    printError(call, `/system/bin/sh: kill: ${pid}: ${problem}\n`)
    code = 1
  }
  return code
}

function end(row: Row): string | undefined {
  try {
    row.stop()
    return undefined
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    return 'Operation not permitted'
  }
}

/** `pkill [-SIGNAL] [-f] NAME`, `killall NAME`. */
function pkill(call: Call): number {
  const { flags } = parseProgramOptions(call.args)
  const name = call.args.findLast((arg) => !arg.startsWith('-')) ?? ''
  const exact = call.name === 'killall' ? new Map([['x', '']]) : flags
  const found = selectByName(call, name, exact)
  const ended = found.filter((row) => end(row) === undefined)
  if (call.name === 'killall' && found.length === 0) printError(call, `killall: ${name}: No such process\n`)
  return ended.length > 0 ? 0 : 1
}

/** `am kill` and `cmd activity kill` end an app only in the background. */
export function killInBackground(device: Device, packageName: string): void {
  const app = device.apps.get(packageName)
  if (app !== undefined && findForeground(device)?.app !== app) stopApp(device, app)
}

/** `top -n 1 -b`: one page of processes. */
async function top(call: Call): Promise<number> {
  const { flags } = parseProgramOptions(call.args, ['n', 'd', 'm', 'o', 's', 'p', 'u', 'k'])
  const pages = Number(flags.get('n') ?? Number.POSITIVE_INFINITY)
  const rows = () => listProcesses(call.device).slice(0, Number(flags.get('m') ?? 40))
  for (let page = 0; page < pages && !call.signal.aborted; page += 1) {
    if (page > 0) await call.device.clock.sleep(Number(flags.get('d') ?? 3) * 1000, call.signal)
    const all = rows()
    print(call, `Tasks: ${all.length} total,   1 running, ${all.length - 1} sleeping,   0 stopped,   0 zombie\n`)
    print(call, '  Mem:  7836836K total,  5120044K used,  2716792K free,     6012K buffers\n')
    print(call, ' Swap:  2097148K total,        0K used,  2097148K free,  2480264K cached\n')
    print(call, '800%cpu   4%user   0%nice   4%sys 792%idle   0%iow   0%irq   0%sirq   0%host\n')
    print(call, '  PID USER         PR  NI VIRT  RES  SHR S[%CPU] %MEM     TIME+ ARGS\n')
    for (const { pid, user, name } of all) {
      print(
        call,
        `${String(pid).padStart(5)} ${user.padEnd(12)} 20   0  14G 115M  88M S  0.0   1.5   0:01.00 ${name}\n`,
      )
    }
  }
  return 0
}

export const processPrograms: Readonly<Record<string, Program>> = { ps, pidof, pgrep, kill, pkill, killall: pkill, top }
