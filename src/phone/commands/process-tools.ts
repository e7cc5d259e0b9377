import { readUptimeMs } from '../model/device.ts'
import { printError, print, type Call, type Program } from '../shell/command.ts'

async function sleep(call: Call): Promise<number> {
  const seconds = Number(call.args[0])
  if (Number.isNaN(seconds)) {
    printError(call, `sleep: bad number '${call.args[0] ?? ''}'\n`)
    return 1
  }
  await call.device.clock.sleep(seconds * 1000, call.signal)
  return 0
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

function pidof(call: Call): number {
  const pids = call.args.flatMap((name) => call.device.apps.get(name)?.process?.pid ?? [])
  if (pids.length === 0) return 1
  print(call, `${pids.join(' ')}\n`)
  return 0
}

const TIMED_OUT_CODE = 124

/** `timeout SECONDS PROGRAM`: aborts the program after the given time. */
async function timeout(call: Call, programs: ReadonlyMap<string, Program>): Promise<number> {
  const [seconds = '', name = '', ...args] = call.args
  const program = programs.get(name)
  if (program === undefined || Number.isNaN(Number(seconds))) {
    printError(call, `timeout: exec ${name}: No such file or directory\n`)
    return 127
  }
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  call.signal.addEventListener('abort', stop, { once: true })
  const running = Promise.resolve(program({ ...call, name, args, signal: stopped.signal }))
  try {
    // A program that ends immediately must not use the clock: sleeping advances a manual clock.
    const immediate = await Promise.race([running, nextTurn()])
    if (immediate !== undefined) return immediate
    const deadline = call.device.clock.sleep(Number(seconds) * 1000, stopped.signal)
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

function which(call: Call, programs: ReadonlyMap<string, Program>): number {
  const names = call.args.filter((arg) => !arg.startsWith('-'))
  const found = names.filter((name) => programs.has(name))
  print(call, found.map((name) => `/system/bin/${name}\n`).join(''))
  return found.length === names.length ? 0 : 1
}

export function processTools(programs: ReadonlyMap<string, Program>): Readonly<Record<string, Program>> {
  return {
    sleep,
    id,
    date,
    uptime,
    pidof,
    true: () => 0,
    ':': () => 0,
    false: () => 1,
    sync: () => 0,
    whoami: (call) => {
      print(call, 'shell\n')
      return 0
    },
    timeout: (call) => timeout(call, programs),
    which: (call) => which(call, programs),
    command: (call) => which(call, programs),
  }
}
