import type { Action, ActionType } from '@apprentice/contracts/devices/action.ts'

/** The parameters of one action type, with defaults applied. */
export type ActionParams<T extends ActionType> = Extract<Action, { type: T }>['params']
