import type { Program } from '../shell/command.ts'
import { am, monkey } from './activity.ts'
import { dumpsys } from './dumpsys.ts'
import { digestTools } from './unix/digest-tools.ts'
import { fileTools } from './unix/file-tools.ts'
import { getevent } from './getevent.ts'
import { grep } from './unix/grep.ts'
import { input } from './input.ts'
import { lineTools } from './unix/line-tools.ts'
import { listingTools } from './unix/listing.ts'
import { log, logcat } from './logcat.ts'
import { netcat } from './unix/netcat.ts'
import { packages } from './packages.ts'
import { processTools } from './unix/process-tools.ts'
import { processPrograms } from './unix/processes.ts'
import { screencap } from './screencap.ts'
import { screenrecord } from './screenrecord.ts'
import { sed } from './unix/sed.ts'
import { systemTools } from './system-tools.ts'
import { textTools } from './unix/text-tools.ts'
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
