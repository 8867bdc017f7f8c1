"""Compiled scanning of delimited text: bytes in, codes of distinct texts out.

The plain twin, and the definition of the dialect, is :mod:`ratingpriv_loaders.text.plain_scan`.
"""

# mypy: disable-error-code="no-untyped-def, assignment"
# (numba infers the types of compiled loops; annotations would say nothing it heeds)

from __future__ import annotations

import numpy as np

from ratingpriv.compute.compiling import compiled

__all__ = ["DIRECT", "DONE", "FULL", "GROW", "NEED_MORE", "rehash", "scan"]

DIRECT = 1 << 22
"""Whole numbers below this, written without leading zeros, are looked up in a table instead of hashed."""

DONE, NEED_MORE, FULL, GROW = 0, 1, 2, 3
"""Why a scan stopped: end of the buffer; a row continues behind it; the output is full; texts need room."""

_LF, _CR, _QUOTE, _ZERO, _DASH = 10, 13, 34, 48, 45
_ZERO_BYTE = np.uint8(48)
_TIME, _OTHER = 3, 3
_jit = compiled(inline="never")

# Columns of `state`, the counters that live across calls.
_ENTRIES, _ARENA, _FAULTS, _LINE, _ROWS, _POSITION = 0, 1, 2, 3, 4, 5
_COUNTS = 6  # one a role from here on


@_jit
def _append(source, start, end, role, offsets, arena, entry_roles, state):
    """Store a new text; return its position among the role's texts, or -1 without room."""
    entry, used = state[_ENTRIES], state[_ARENA]
    if entry + 2 > len(offsets) or used + (end - start) > len(arena):
        return -1
    for at in range(start, end):
        arena[used + at - start] = source[at]
    state[_ARENA] = used + end - start
    offsets[entry + 1] = state[_ARENA]
    entry_roles[entry] = role
    state[_ENTRIES] = entry + 1
    label = state[_COUNTS + role]
    state[_COUNTS + role] = label + 1
    return label


@_jit
def _intern(source, start, end, role, direct, slots, hashes, slot_labels, offsets, arena, entry_roles, state):
    """Return the position of the text source[start:end] among the distinct texts of ``role``; -1: no room."""
    length = end - start
    if 0 < length <= 7 and (source[start] != _ZERO or length == 1):
        number = 0
        for at in range(start, end):
            digit = np.int64(source[at]) - _ZERO
            if digit < 0 or digit > 9:
                number = -1
                break
            number = number * 10 + digit
        if 0 <= number < direct.shape[1]:
            known = direct[role, number]
            if known > 0:
                return np.int64(known - 1)
            label = _append(source, start, end, role, offsets, arena, entry_roles, state)
            if label >= 0:
                direct[role, number] = label + 1
            return label
    if state[_ENTRIES] * 2 >= len(slots):
        return -1
    hashed = np.uint64(1469598103934665603) + np.uint64(role)
    for at in range(start, end):
        hashed = (hashed ^ np.uint64(source[at])) * np.uint64(1099511628211)
    hashed = hashed ^ (hashed >> np.uint64(29))
    mask = np.uint64(len(slots) - 1)
    slot = hashed & mask
    while slots[slot] >= 0:
        entry = slots[slot]
        if (
            hashes[slot] == hashed
            and entry_roles[entry] == role
            and offsets[entry + 1] - offsets[entry] == length
        ):
            same = True
            first = offsets[entry]
            for at in range(length):
                if arena[first + at] != source[start + at]:
                    same = False
                    break
            if same:
                return np.int64(slot_labels[slot])
        slot = (slot + np.uint64(1)) & mask
    entry = state[_ENTRIES]
    label = _append(source, start, end, role, offsets, arena, entry_roles, state)
    if label >= 0:
        slots[slot], hashes[slot], slot_labels[slot] = entry, hashed, label
    return label


@_jit
def rehash(old_slots, old_hashes, old_labels, slots, hashes, labels):
    """Move a hash table into a larger, empty one."""
    mask = np.uint64(len(slots) - 1)
    for at in range(len(old_slots)):
        if old_slots[at] >= 0:
            slot = old_hashes[at] & mask
            while slots[slot] >= 0:
                slot = (slot + np.uint64(1)) & mask
            slots[slot], hashes[slot], labels[slot] = old_slots[at], old_hashes[at], old_labels[at]


@_jit
def _time(source, start, end):
    """Return (kind, value): 0 empty, 1 whole number, 2 days since 1970-01-01, 3 anything else."""
    length = end - start
    if length == 0:
        return 0, 0
    first = start + 1 if source[start] == _DASH else start
    if 0 < end - first <= 18:
        number = 0
        whole = True
        for at in range(first, end):
            digit = np.int64(source[at]) - _ZERO
            if digit < 0 or digit > 9:
                whole = False
                break
            number = number * 10 + digit
        if whole:
            return 1, -number if first > start else number
    if length == 10 and source[start + 4] == _DASH and source[start + 7] == _DASH:
        number = 0
        for at in range(start, end):
            if at == start + 4 or at == start + 7:
                continue
            digit = np.int64(source[at]) - _ZERO
            if digit < 0 or digit > 9:
                return 3, 0
            number = number * 10 + digit
        year, month, day = number // 10000, number // 100 % 100, number % 100
        leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
        if year < 1 or month < 1 or month > 12 or day < 1:
            return 3, 0
        most = 30 if month in (4, 6, 9, 11) else 31
        if month == 2:
            most = 29 if leap else 28
        if day > most:
            return 3, 0
        # Days since 1970-01-01 in the proleptic Gregorian calendar, years counted from March.
        shifted = year - 1 if month <= 2 else year
        era = shifted // 400
        of_era = shifted - era * 400
        of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
        return 2, era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
    return 3, 0


@_jit
def scan(
    buffer, begin, end, final, delimiter, roles, places, out, times, kinds, lines, faults,
    direct, slots, hashes, slot_labels, offsets, arena, entry_roles, state, scratch,
):  # fmt: skip
    """Scan rows of buffer[begin:end]; return why it stopped (see DONE); ``state`` has the place and the rows.

    Parameters
    ----------
    buffer : uint8, UTF-8 text; ``begin`` is the start of a row
    final : whether nothing follows behind ``end``
    delimiter : uint8 (1 or more,)
    roles, places : int64 (n_columns,), a role (-1: skip) and a column of ``out`` each
    out : int32 (rows_at_most, n_places), codes; times, kinds : int64, uint8 (rows_at_most,)
    lines : int64 (rows_at_most,), each row's first line
    faults : int64 (faults_at_most, 3), kind, line, detail; at most so many a call: the scan stops when full
    direct ... scratch : the tables of distinct texts, see fast_scan.Texts
    state : int64, counters that live across calls
    """
    columns = len(roles)
    width = len(delimiter)
    first = delimiter[0]
    row_start = begin
    row = 0
    n_faults = 0
    status = DONE
    while row_start < end:
        if row == len(out) or n_faults == len(faults):
            status = FULL
            break
        at = row_start
        column = 0
        line = state[_LINE]
        kind, kind_line, kind_detail = -1, line, 0
        row_end = -1  # position behind the row's line end
        blank = False
        no_room = False
        while True:
            if at < end and buffer[at] == _QUOTE:
                opened_line = line
                cell_start = at + 1
                stop = cell_start
                doubled = False
                closed = False
                while stop < end:
                    byte = buffer[stop]
                    if byte == _QUOTE:
                        if stop + 1 < end and buffer[stop + 1] == _QUOTE:
                            doubled = True
                            stop += 2
                            continue
                        closed = True
                        break
                    if byte == _LF:
                        line += 1
                    stop += 1
                if not closed:
                    kind, kind_line, kind_detail = 2, opened_line, column + 1
                    row_end = end if final else -1
                    break
                at = stop + 1
                quoted = True
            else:
                quoted = False
                doubled = False
                cell_start = at
                if width == 1:
                    while at < end and buffer[at] != first and buffer[at] != _LF:
                        at += 1
                else:
                    while at < end and buffer[at] != _LF:
                        if buffer[at] == first and at + width <= end:
                            match = True
                            for more in range(1, width):
                                if buffer[at + more] != delimiter[more]:
                                    match = False
                                    break
                            if match:
                                break
                        at += 1
                stop = at
            # What ends the cell: a delimiter, a line end, or (behind a quote) what must not be there.
            at_delimiter = at + width <= end
            if at_delimiter:
                for more in range(width):
                    if buffer[at + more] != delimiter[more]:
                        at_delimiter = False
                        break
            if not at_delimiter:
                if quoted:
                    if at < end and buffer[at] == _CR and (at + 1 == end or buffer[at + 1] == _LF):
                        at += 1
                    if at < end and buffer[at] != _LF:
                        kind, kind_line, kind_detail = 1, line, column + 1
                        while at < end and buffer[at] != _LF:
                            at += 1
                elif stop > cell_start and buffer[stop - 1] == _CR:
                    stop -= 1
                if at < end:
                    row_end = at + 1
                elif final:
                    row_end = end
                if kind >= 0 or row_end < 0:
                    break
                if not quoted and column == 0 and stop == cell_start and columns > 1:
                    blank = True
                    break
            if column < columns and roles[column] >= 0:
                role = roles[column]
                source = buffer
                if doubled:
                    used = 0
                    skip = False
                    for position in range(cell_start, stop):
                        if skip:
                            skip = False
                            continue
                        scratch[used] = buffer[position]
                        skip = buffer[position] == _QUOTE
                        used += 1
                    source, cell_start, stop = scratch, 0, used
                if role == _TIME:
                    time_kind, value = _time(source, cell_start, stop)
                    if time_kind == _OTHER:
                        value = _intern(
                            source, cell_start, stop, role, direct, slots, hashes, slot_labels,
                            offsets, arena, entry_roles, state,
                        )  # fmt: skip
                        no_room = value < 0
                    times[row], kinds[row] = value, time_kind
                else:
                    # Almost every cell is a short whole number seen before: no call for those.
                    code = np.int64(-1)
                    length = stop - cell_start
                    if 0 < length <= 7 and (source[cell_start] != _ZERO or length == 1):
                        number = np.int64(0)
                        position = cell_start
                        while position < stop:
                            digit = (
                                source[position] - _ZERO_BYTE
                            )  # uint8: what is no digit becomes 10 or more
                            if digit > 9:
                                break
                            number = number * 10 + digit
                            position += 1
                        if position == stop and number < direct.shape[1]:
                            code = np.int64(direct[role, number]) - 1
                    if code < 0:
                        code = _intern(
                            source, cell_start, stop, role, direct, slots, hashes, slot_labels,
                            offsets, arena, entry_roles, state,
                        )  # fmt: skip
                    no_room = code < 0
                    out[row, places[column]] = code
                if no_room:
                    break
            column += 1
            if not at_delimiter:
                break
            at += width
        if no_room:
            status = GROW
            break
        if row_end < 0:
            status = NEED_MORE
            break
        if not blank:
            if kind < 0 and column != columns:
                kind, kind_line, kind_detail = 0, state[_LINE], column
            if kind >= 0:
                faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = kind, kind_line, kind_detail
                n_faults += 1
            else:
                lines[row] = state[_LINE]
                row += 1
        state[_LINE] = line + 1
        row_start = row_end
    state[_FAULTS], state[_ROWS], state[_POSITION] = n_faults, row, row_start
    return status
