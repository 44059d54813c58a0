# SPDX-License-Identifier: Apache-2.0
class ABCMeta(type):
    __is_abc_meta__ = True

    def register(cls, subclass):
        return subclass


class ABC(metaclass=ABCMeta):
    pass


def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function


def abstractproperty(function):
    return property(abstractmethod(function))


def abstractclassmethod(function):
    return classmethod(abstractmethod(function))


def abstractstaticmethod(function):
    return staticmethod(abstractmethod(function))
