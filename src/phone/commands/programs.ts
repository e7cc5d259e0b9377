import type { Program } from '../shell/command.ts'
import { am, monkey } from './activity.ts'
import { dumpsys } from './dumpsys.ts'
import { digestTools } from './digest-tools.ts'
import { fileTools } from './file-tools.ts'
import { getevent } from './getevent.ts'
import { grep } from './grep.ts'
import { input } from './input.ts'
import { lineTools } from './line-tools.ts'
import { listingTools } from './listing.ts'
import { log, logcat } from './logcat.ts'
import { netcat } from './netcat.ts'
import { packages } from './packages.ts'
import { processTools } from './process-tools.ts'
import { processPrograms } from './processes.ts'
import { screencap } from './screencap.ts'
import { screenrecord } from './screenrecord.ts'
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
    dumpsys,
    getevent,
    log,
    logcat,
    nc: netcat,
    netcat,
    screencap,
    screenrecord,
  }
  return new Map(Object.entries(all))
}
