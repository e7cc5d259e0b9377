/** Words for on and off, enabled and disabled, yes and no, in the languages of `LANGUAGES`. */
const TRUE_WORDS = [
  'on, enabled, yes, true, active, activated',
  'ein, an, aktiviert, eingeschaltet, ja, aktiv',
  'activé, activée, oui, allumé, allumée, actif, active',
  'activado, activada, sí, encendido, encendida, activo',
  'attivo, attiva, attivato, attivata, sì, acceso, accesa',
  'ativado, ativada, sim, ligado, ligada, ativo',
  'aan, ingeschakeld, ja, actief',
  'wł., wł, włączone, włączony, włączona, tak, aktywne',
  'på, aktiverad, aktiverat, ja, aktiv',
  'açık, etkin, evet, etkinleştirildi',
  'вкл, вкл., включено, включён, включен, включена, да',
  'オン, 有効, はい',
  '开, 开启, 已开启, 打开, 已启用, 启用, 是, 開, 開啟, 已開啟',
  '켜짐, 켬, 사용, 사용함, 사용 중, 예, 네',
]

const FALSE_WORDS = [
  'off, disabled, no, false, inactive, deactivated',
  'aus, deaktiviert, ausgeschaltet, nein, inaktiv',
  'désactivé, désactivée, non, éteint, éteinte, inactif',
  'desactivado, desactivada, no, apagado, apagada, inactivo',
  'disattivo, disattivato, disattivata, no, spento, spenta, non attivo',
  'desativado, desativada, não, desligado, desligada, inativo',
  'uit, uitgeschakeld, nee, inactief',
  'wył., wył, wyłączone, wyłączony, wyłączona, nie, nieaktywne',
  'av, inaktiverad, inaktiverat, nej, inaktiv',
  'kapalı, devre dışı, hayır',
  'выкл, выкл., выключено, выключен, выключена, отключено, нет',
  'オフ, 無効, いいえ',
  '关, 关闭, 已关闭, 已停用, 停用, 否, 關, 關閉, 已關閉',
  '꺼짐, 끔, 사용 안함, 사용 안 함, 아니요, 아니오',
]

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...TRUE_WORDS.flatMap((line) => line.split(', ').map((word): [string, boolean] => [word, true])),
  ...FALSE_WORDS.flatMap((line) => line.split(', ').map((word): [string, boolean] => [word, false])),
])

/** The boolean that a folded word stands for. */
export function readBooleanWord(folded: string): boolean | undefined {
  return BOOLEAN_WORDS.get(folded)
}

/** Longest word of the lists. */
export const MAX_BOOLEAN_WORD = 20
