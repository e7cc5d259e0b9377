import type { Orientation } from '@apprentice/contracts/devices/action.ts'
import { pullFile, pushFile } from '../shell/adb-files.ts'
import { resolveLauncher, startComponent, startView } from './app-launch.ts'
import { pause, startBudget } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { runChecked } from '../shell/checked-command.ts'
import type { DeviceAddress } from '../shell/command-stream.ts'
import { readAwake, readFacts } from './device-facts.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { KEY_CODES } from './driver.ts'
import type { Driver, Key, Point, Swipe } from './driver.ts'
import { parseLaunchables, parseAppBuild, parsePackages } from './fact-parsers.ts'
import { FOREGROUND_COMMAND, parseForeground } from './foreground.ts'
import { findBroadcastKeyboard, typeByBroadcast } from './input-method.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { buildCommand, requireInteger, requirePackageName, requireSendable } from '../adb/quoting.ts'
import { parseScreencap } from './screenshot.ts'
import { buildClearingCommands, buildTypingCommands, toUnsupportedText } from './text-entry.ts'
import { UiautomatorSource } from './ui-source.ts'
import type { UiSource } from './ui-source.ts'

/** Drives Android by its command line tools. Nothing is installed on the device. */
export class AndroidDriver implements Driver {
  readonly #runner: CommandRunner
  readonly #device: DeviceAddress
  readonly #screens: UiSource

  constructor(runner: CommandRunner, device: DeviceAddress, screens: UiSource = new UiautomatorSource(runner)) {
    this.#runner = runner
    this.#device = device
    this.#screens = screens
  }

  get serial(): string {
    return this.#device.serial
  }

  async tap({ x, y }: Point, limits: CallLimits): Promise<void> {
    await this.#input(['tap', requireInteger('x', x), requireInteger('y', y)], limits)
  }

  async longPress(point: Point, durationMs: number, limits: CallLimits): Promise<void> {
    await this.swipe({ from: point, to: point, durationMs }, limits)
  }

  async swipe({ from, to, durationMs, hold = false }: Swipe, limits: CallLimits): Promise<void> {
    const start = [requireInteger('from.x', from.x), requireInteger('from.y', from.y)]
    const end = [requireInteger('to.x', to.x), requireInteger('to.y', to.y)]
    await this.#input(
      [hold ? 'draganddrop' : 'swipe', ...start, ...end, requireInteger('durationMs', durationMs)],
      limits,
    )
  }

  async keyevent(key: Key, limits: CallLimits): Promise<void> {
    const code = typeof key === 'number' ? requireInteger('key', key, 1000) : KEY_CODES[key]
    await this.#input(['keyevent', code], limits)
  }

  setOrientation(orientation: Orientation, limits: CallLimits): Promise<void> {
    const put = (name: string, value: number): string => buildCommand('settings', 'put', 'system', name, value)
    const turn = put('user_rotation', orientation === 'portrait' ? 0 : 1)
    return this.#runInOrder([put('accelerometer_rotation', 0), turn], limits)
  }

  async enterText(text: string, limits: CallLimits): Promise<void> {
    const typing = buildTypingCommands(requireSendable(text))
    const budget = startBudget(limits)
    if (typing) return this.#runInOrder(typing, budget.remainingLimits())
    const keyboard = await findBroadcastKeyboard(this.#runner, budget.remainingLimits())
    if (keyboard === undefined) throw toUnsupportedText(text)
    await typeByBroadcast(this.#runner, keyboard, text, budget.remainingLimits())
  }

  async clearText(characters: number, limits: CallLimits): Promise<void> {
    await this.#runInOrder(buildClearingCommands(requireInteger('characters', characters, 10_000)), limits)
  }

  async openApp(packageId: string, limits: CallLimits) {
    const budget = startBudget(limits)
    const component = await resolveLauncher(this.#runner, requirePackageName(packageId), budget.remainingLimits())
    return startComponent(this.#runner, component, budget.remainingLimits())
  }

  async openUri(uri: string, limits: CallLimits) {
    if (uri.length > 2048 || !/^[a-z][a-z0-9+.-]*:./i.test(uri)) {
      throw new OperationFailure('INVALID_ARGUMENT', 'not an absolute URI of at most 2048 characters')
    }
    return startView(this.#runner, uri, limits)
  }

  async closeApp(packageId: string, limits: CallLimits): Promise<void> {
    await runChecked(this.#runner, buildCommand('am', 'force-stop', requirePackageName(packageId)), limits)
  }

  async screenshot(limits: CallLimits) {
    const { stdout, stderr } = await this.#runner.run(buildCommand('screencap', '-p'), limits)
    return parseScreencap(stdout.length > 0 ? stdout : stderr)
  }

  dump(limits: CallLimits) {
    return this.#screens.dump(limits)
  }

  facts(limits: CallLimits) {
    return readFacts(this.#runner, limits)
  }

  async foreground(limits: CallLimits) {
    const { stdout } = await this.#runner.run(FOREGROUND_COMMAND, limits)
    return parseForeground(stdout.toString('utf8'))
  }

  async wake(limits: CallLimits) {
    const budget = startBudget(limits)
    await this.#input(['keyevent', KEY_CODES.wake_up], budget.remainingLimits())
    await this.#runner.run(buildCommand('wm', 'dismiss-keyguard'), budget.remainingLimits())
    for (let checks = 1; ; checks += 1) {
      const state = await readAwake(this.#runner, budget.remainingLimits())
      const settled = state.awake === true && state.locked === false
      if (settled || checks === MAX_WAKE_CHECKS || budget.remainingMs() < WAKE_PAUSE_MS * 2) return state
      await pause(WAKE_PAUSE_MS, limits.signal)
    }
  }

  async packages(limits: CallLimits) {
    const line = buildCommand('pm', 'list', 'packages', '--show-versioncode')
    return parsePackages((await runChecked(this.#runner, line, limits)).stdout.toString('utf8'))
  }

  async appBuild(packageId: string, limits: CallLimits) {
    const line = buildCommand('dumpsys', 'package', packageId)
    return parseAppBuild((await runChecked(this.#runner, line, limits)).stdout.toString('utf8'))
  }

  async launchables(limits: CallLimits) {
    const line = buildCommand(
      ...(['cmd', 'package', 'query-activities'] as const),
      ...(['-a', 'android.intent.action.MAIN', '-c', 'android.intent.category.LAUNCHER'] as const),
    )
    const { stdout } = await runChecked(this.#runner, line, limits)
    return parseLaunchables(stdout.toString('utf8'))
  }

  pull(path: string, limits: CallLimits) {
    return pullFile(this.#device, path, limits)
  }

  push(path: string, data: Buffer, limits: CallLimits) {
    return pushFile(this.#device, path, data, limits)
  }

  async #input(args: readonly (string | number)[], limits: CallLimits): Promise<void> {
    await runChecked(this.#runner, buildCommand('input', ...args), limits)
  }

  /** Runs commands in order and stops at the first failure. Batches them to save round trips. */
  async #runInOrder(commands: readonly string[], limits: CallLimits): Promise<void> {
    const budget = startBudget(limits)
    for (let at = 0; at < commands.length; at += COMMANDS_PER_LINE) {
      const line = commands.slice(at, at + COMMANDS_PER_LINE).join(' && ')
      await runChecked(this.#runner, line, budget.remainingLimits())
    }
  }
}

/** The lock screen follows the screen with a delay of up to two seconds. */
const WAKE_PAUSE_MS = 250
const MAX_WAKE_CHECKS = 10
const COMMANDS_PER_LINE = 20
