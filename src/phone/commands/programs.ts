import { openShade } from '../model/device.ts'
import { printError, type Call, type Program } from '../shell/command.ts'
import { am, monkey } from './activity.ts'
import { dumpsys } from './dumpsys.ts'
import { digestTools } from './digest-tools.ts'
import { fileTools } from './file-tools.ts'
import { getevent } from './getevent.ts'
import { grep } from './grep.ts'
import { input } from './input.ts'
import { lineTools } from './line-tools.ts'
import { listingTools } from './listing.ts'
import { logcat } from './logcat.ts'
import { packages } from './packages.ts'
import { processTools } from './process-tools.ts'
import { processPrograms } from './processes.ts'
import { screencap } from './screencap.ts'
import { sed } from './sed.ts'
import { systemTools } from './system-tools.ts'
import { textTools } from './text-tools.ts'
import { uiautomator } from './uiautomator.ts'

/** The programs of the phone in /system/bin, by name. */
export function createPrograms(): ReadonlyMap<string, Program> {
  const all: Readonly<Record<string, Program>> = {
    ...textTools,
    ...lineTools,
    ...digestTools,
    ...fileTools,
    ...listingTools,
    ...systemTools,
    ...processTools,
    ...processPrograms,
    grep,
    egrep: grep,
    fgrep: grep,
    sed,
    uiautomator,
    input,
    am,
    monkey,
    pm: packages,
    cmd,
    dumpsys,
    getevent,
    logcat,
    screencap,
  }
  return new Map(Object.entries(all))
}

/** `cmd SERVICE ...` runs the program of the service. */
function cmd(call: Call): number | Promise<number> {
  const [service = '', ...args] = call.args
  const program = SERVICES[service]
  if (program !== undefined) return program({ ...call, args })
  printError(call, `cmd: Can't find service: ${service}\n`)
  return 20
}

/** `cmd statusbar`: opens and closes the notification shade. */
function statusbar(call: Call): number {
  const [verb = ''] = call.args
  if (verb === 'expand-notifications' || verb === 'expand-settings') openShade(call.device)
  else if (verb === 'collapse') call.device.shade = undefined
  else {
    printError(call, `Unknown command: ${verb}\n`)
    return 255
  }
  return 0
}

const SERVICES: Readonly<Record<string, Program>> = { package: packages, activity: am, input, statusbar }
