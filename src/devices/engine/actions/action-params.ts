import type { Action, ActionType } from '@apprentice/contracts/devices/action.ts'

/** The parameters of one action type, defaults filled in. */
export type ParamsOf<T extends ActionType> = Extract<Action, { type: T }>['params']
