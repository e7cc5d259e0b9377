import { readUptimeMs } from '../../model/device.ts'
import { parseProgramOptions } from './options.ts'
import { printError, print, type Call, type Program } from '../../shell/command.ts'

async function sleep(call: Call): Promise<number> {
  const ms = parseDuration(call.args[0] ?? '')
  if (ms === undefined) {
    printError(call, `sleep: bad number '${call.args[0] ?? ''}'\n`)
    return 1
  }
  await call.device.clock.sleep(ms, call.signal)
  return 0
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `1.5`, `10s`, `2m`. */
function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS_MS[unit] ?? 1000)
}

function id(call: Call): number {
  print(
    call,
    'uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),' +
      '1015(sdcard_rw),3003(inet) context=u:r:shell:s0\n',
  )
  return 0
}

/** `date`: supports the common letters of `+FORMAT`. The time zone is UTC. */
function date(call: Call): number {
  const now = new Date(call.device.clock.now())
  const iso = now.toISOString()
  const format = call.args.find((arg) => arg.startsWith('+'))?.slice(1)
  if (format === undefined) {
    const [day = '', month = '', number = ''] = now.toUTCString().replace(',', '').split(' ').map(String)
    print(call, `${day} ${number} ${month} ${iso.slice(11, 19)} UTC ${iso.slice(0, 4)}\n`)
    return 0
  }
  const fields: Readonly<Record<string, string>> = {
    s: String(Math.floor(now.getTime() / 1000)),
    N: iso.slice(20, 23).padEnd(9, '0'),
    '3N': iso.slice(20, 23),
    Y: iso.slice(0, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    Z: 'UTC',
    z: '+0000',
  }
  const formatted = format.replaceAll(/%(3N|[a-zA-Z%])/g, (_all, key: string) => fields[key] ?? key)
  print(call, `${formatted}\n`)
  return 0
}

function uptime(call: Call): number {
  const minutes = Math.floor(readUptimeMs(call.device) / 60_000)
  print(call, ` up ${minutes} min,  0 users,  load average: 0.10, 0.10, 0.10\n`)
  return 0
}

const TIMED_OUT_CODE = 124

/** `timeout [-s SIGNAL] [-k TIME] SECONDS PROGRAM`: aborts the program after the given time. */
async function timeout(call: Call): Promise<number> {
  const { args } = call
  let from = 0
  while (args[from]?.startsWith('-') === true) from += /^-[sk]$/.test(args[from] ?? '') ? 2 : 1
  const [time = '', name = '', ...others] = args.slice(from)
  const ms = parseDuration(time)
  if (ms === undefined || name === '') {
    printError(call, `timeout: bad time '${time}'\n`)
    return 125
  }
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  call.signal.addEventListener('abort', stop, { once: true })
  const running = call.run([name, ...others], { streams: { signal: stopped.signal } })
  try {
    // A program that ends immediately must not use the clock: sleeping advances a manual clock.
    const immediate = await Promise.race([running, nextTurn()])
    if (immediate !== undefined) return immediate
    const deadline = call.device.clock.sleep(ms, stopped.signal)
    return await Promise.race([running, deadline.then(() => TIMED_OUT_CODE)])
  } finally {
    call.signal.removeEventListener('abort', stop)
    stopped.abort()
  }
}

function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(undefined))
  })
}

function which(call: Call): number {
  const names = call.args.filter((arg) => !arg.startsWith('-'))
  const found = names.filter((name) => call.programs.has(name))
  print(call, found.map((name) => `/system/bin/${name}\n`).join(''))
  return found.length === names.length ? 0 : 1
}

/** `env [-i] [NAME=VALUE...] [COMMAND]`. */
function env(call: Call): number | Promise<number> {
  const { args } = call
  const from = args.findIndex((arg) => !/^[A-Za-z_]\w*=|^-[iu0]?$/.test(arg))
  const settings = (from === -1 ? args : args.slice(0, from)).filter((arg) => arg.includes('='))
  const environment = settings.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)] as const)
  if (from !== -1) return call.run(args.slice(from), { environment })
  const all = new Map([...(args.includes('-i') ? [] : call.environment()), ...environment])
  print(call, [...all].map(([name, value]) => `${name}=${value}\n`).join(''))
  return 0
}

function printenv(call: Call): number {
  const all = new Map(call.environment())
  const names = call.args.length === 0 ? [...all.keys()] : call.args
  const values = names.flatMap((name) => all.get(name) ?? [])
  print(call, values.map((value, at) => (call.args.length === 0 ? `${names[at]}=${value}\n` : `${value}\n`)).join(''))
  return values.length === names.length ? 0 : 1
}

/** `sh -c SCRIPT [NAME [ARG...]]`, `sh FILE [ARG...]`, or a script from standard input. */
async function sh(call: Call): Promise<number> {
  const { args } = call
  const from = args.findIndex((arg) => !/^-[a-z]+$/.test(arg))
  const options = args.slice(0, from === -1 ? args.length : from).join('')
  const rest = from === -1 ? [] : args.slice(from)
  if (options.includes('c')) return call.runScript(rest[0] ?? '', rest.length > 1 ? rest.slice(1) : ['sh'])
  if (rest[0] === undefined) return call.runScript((await call.stdin.all()).toString('utf8'), ['sh'])
  const file = call.files.read(rest[0])
  if (file === undefined) {
    printError(call, `sh: ${rest[0]}: No such file or directory\n`)
    return 127
  }
  return call.runScript(file.toString('utf8').replace(/^#![^\n]*/, ''), rest)
}

/** Runs the command in `args`: `nohup`, `nice`, `time`, `setsid`, `ionice`. */
function runArguments(call: Call): number | Promise<number> {
  const from = call.args.findIndex((arg, at) => !arg.startsWith('-') && !/^-[nc]$/.test(call.args[at - 1] ?? ''))
  return from === -1 ? 0 : call.run(call.args.slice(from))
}

const MAX_ARGUMENTS = 5000

/** `xargs [-n COUNT] [-I MARK] [-0] [-r] COMMAND`. */
async function xargs(call: Call): Promise<number> {
  const from = call.args.findIndex((arg, at) => !arg.startsWith('-') && !/^-[nIP]$/.test(call.args[at - 1] ?? ''))
  const { flags } = parseProgramOptions(from === -1 ? call.args : call.args.slice(0, from), ['n', 'I', 'P'])
  const command = from === -1 ? ['echo'] : call.args.slice(from)
  const text = (await call.stdin.all()).toString('utf8')
  const mark = flags.get('I')
  const separator = flags.has('0') ? '\0' : mark === undefined ? /\s+/ : '\n'
  const items = text.split(separator).filter((item) => item !== '')
  if (items.length === 0 && (flags.has('r') || mark !== undefined)) return 0
  const size = mark === undefined ? Math.max(1, Number(flags.get('n') ?? MAX_ARGUMENTS)) : 1
  let code = 0
  for (let at = 0; at < Math.max(1, items.length); at += size) {
    const part = items.slice(at, at + size)
    const argv = mark === undefined ? [...command, ...part] : command.map((arg) => arg.replaceAll(mark, part[0] ?? ''))
    if ((await call.run(argv)) !== 0) code = 123
  }
  return code
}

function uname(call: Call): number {
  const fields = { s: 'Linux', n: 'localhost', r: '6.1.75-apprentice', v: '#1 SMP PREEMPT', m: 'aarch64', o: 'Toybox' }
  const { flags } = parseProgramOptions(call.args)
  const isShown = (key: string): boolean => flags.has('a') || flags.has(key) || (flags.size === 0 && key === 's')
  const shown = Object.entries(fields).filter(([key]) => isShown(key))
  print(call, `${shown.map(([, value]) => value).join(' ')}\n`)
  return 0
}

function printing(text: string): Program {
  return (call) => {
    print(call, text)
    return 0
  }
}

export const processTools: Readonly<Record<string, Program>> = {
  sleep,
  usleep: async (call) => {
    await call.device.clock.sleep(Number(call.args[0] ?? 0) / 1000, call.signal)
    return 0
  },
  id: (call) => (call.args.includes('-u') ? printing(call.args.includes('-n') ? 'shell\n' : '2000\n')(call) : id(call)),
  date,
  uptime,
  true: () => 0,
  false: () => 1,
  sync: () => 0,
  whoami: printing('shell\n'),
  groups: printing('shell input log adb sdcard_rw inet\n'),
  hostname: printing('localhost\n'),
  nproc: printing('8\n'),
  arch: printing('aarch64\n'),
  getenforce: printing('Enforcing\n'),
  uname,
  timeout,
  which,
  env,
  printenv,
  sh,
  nohup: runArguments,
  nice: runArguments,
  ionice: runArguments,
  setsid: runArguments,
  time: runArguments,
  xargs,
}
