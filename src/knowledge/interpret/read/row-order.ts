import { findIdentity, type Row } from './rows.ts'

/** Whether the entry of this name is at another place among the same others, on two readings of a list. */
export function isMoved(now: Row, before: Row, name: string): boolean {
  const [shown, old] = [listNames(now), listNames(before)]
  if (shown.indexOf(name) === old.indexOf(name)) return false
  const [others, known] = [shown, old].map((names) => names.filter((one) => one !== name))
  return others !== undefined && others.length > 0 && others.join('\n') === known?.join('\n')
}

const listNames = ({ group }: Row): string[] => group.members.map((node) => findIdentity({ node, group })?.text ?? '')
